/** Levels of nesting in a YAML document. These limits keep a document from exhausting the gateway. */
export const MAX_YAML_DEPTH = 32;
/** Aliases in one file. A file with more is refused. */
export const MAX_YAML_ALIASES = 100;
/** Values after every alias is expanded: a plant at all its limits stays below. */
export const MAX_YAML_VALUES = 4_000_000;
/** Syntax faults reported: an early one makes the following ones meaningless. */
export const MAX_YAML_COMPLAINTS = 20;
/** A larger configuration file is refused. */
export const MAX_CONFIG_BYTES = 256 * 1024;
/** A larger plant file is refused. */
export const MAX_PLANT_FILE_BYTES = 64 * 1024 * 1024;
