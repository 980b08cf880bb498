/// The group of a context, nil when it is in none. Spec: 20, section 6.1.
public typealias ContextGroupResponseData = String?
