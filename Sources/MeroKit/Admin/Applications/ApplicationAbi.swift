/// The interface of an application, as the node has it: JSON of its own format. Spec: 20, section 5.5.
public typealias ApplicationAbi = JSONValue
