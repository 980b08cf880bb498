import CMicrohttpd
import Foundation
import MeroKit
