// Placeholder until the target is filled.
public enum MeroKitUIPlaceholder {}
