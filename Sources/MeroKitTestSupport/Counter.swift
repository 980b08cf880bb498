import MeroKit
