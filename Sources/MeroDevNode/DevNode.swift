import CMicrohttpd
import MeroKit
