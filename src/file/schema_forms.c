/* SPDX-License-Identifier: MIT */
/* The JSON Schema of model files: the forms of values, and rules that no table of fields tells. */
#include <stddef.h>

#include "file/schema.h"

/* The layout below is by hand: the formatter would break the texts. */
/* clang-format off */
#define LIST_OF(item, least, most) \
  "{\"type\": \"array\", \"items\": " item ", \"minItems\": " #least ", \"maxItems\": " #most "}"
#define ROW3 LIST_OF(REF("number"), 3, 3)
#define SHAPE(key, value, required) \
  "\"" key "\": {\"type\": \"object\", \"properties\": {" value "}, \"required\": [" required "], " \
  "\"additionalProperties\": false}"
#define SHAPES \
  "\"box\": " LIST_OF(REF("positive"), 3, 3) ", " \
  SHAPE("cylinder", "\"radius\": " REF("positive") ", \"length\": " REF("positive"), \
        "\"radius\", \"length\"") ", " \
  SHAPE("sphere", "\"radius\": " REF("positive"), "\"radius\"") ", " \
  SHAPE("rod", "\"length\": " REF("positive") ", \"radius\": " REF("number"), "\"length\"")

/* a map inside an entry */
#define INNER(values, required) \
  "{\"type\": \"object\", \"properties\": {" values "}, \"required\": [" required "], " \
  "\"additionalProperties\": false}"
/* one end at least; hard ones have a restitution, soft ones stiffness and damping */
#define STOP_RULES \
  "\"anyOf\": [{\"required\": [\"lower\"]}, {\"required\": [\"upper\"]}], " \
  "\"oneOf\": [{\"required\": [\"stiffness\"], \"properties\": {\"restitution\": false}}, " \
  "{\"properties\": {\"stiffness\": false, \"damping\": false}}]"

const ga_schema_text ga_schema_forms[] = {
    {"number", "{\"type\": [\"number\", \"string\"], \"minLength\": 1}"},
    {"positive",
     "{\"type\": [\"number\", \"string\"], \"minLength\": 1, \"exclusiveMinimum\": 0}"},
    {"whole", "{\"type\": [\"integer\", \"string\"], \"minLength\": 1}"},
    {"scalar", "{\"type\": [\"string\", \"number\", \"boolean\", \"null\"]}"},
    {"text", "{\"type\": [\"string\", \"number\", \"boolean\"]}"},
    {"flag", "{\"enum\": [true, false, \"true\", \"false\"]}"},
    {"vector", LIST_OF(REF("number"), 2, 3)},
    {"vector2", LIST_OF(REF("number"), 2, 2)},
    {"vector3", ROW3},
    {"matrix3", LIST_OF(ROW3, 3, 3)},
    {"name", "{\"type\": [\"string\", \"number\", \"boolean\"], \"minLength\": 1}"},
    {"coordinate", "{\"type\": \"string\", \"pattern\": \"^[^.]+[.][^.]+$\"}"},
    {"between", LIST_OF(REF("name"), 2, 2)},
    {"names", "{\"type\": \"array\", \"minItems\": 2, \"items\": " REF("name") "}"},
    {"point",
     "{\"oneOf\": [" REF("vector") ", {\"type\": \"object\", \"minProperties\": 1, "
     "\"maxProperties\": 2, \"additionalProperties\": " REF("vector") "}]}"},
    {"direction", REF("point")},
    {"function_t", "{\"oneOf\": [" REF("number") ", " REF("own_function") "]}"},
    {"function_s", "{\"oneOf\": [" REF("number") ", " REF("own_function") "]}"},
    {"function_t3", LIST_OF(REF("function_t"), 3, 3)},
    {"numbers",
     "{\"type\": \"object\", \"propertyNames\": " REF("parameter_name")
     ", \"additionalProperties\": " REF("number") "}"},
    {"include",
     "{\"oneOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"items\": {\"type\": "
     "\"string\"}}]}"},
    {"curve", LIST_OF(REF("function_t"), 2, 3)},
    {"over",
     "{\"type\": \"array\", \"minItems\": 2, \"items\": {\"oneOf\": [" REF("name") ", {\"type\": "
     "\"object\", \"minProperties\": 1, \"maxProperties\": 1, \"additionalProperties\": "
     REF("vector") "}, {\"type\": \"object\", \"minProperties\": 2, \"maxProperties\": 4, "
     "\"required\": [\"radius\"], \"properties\": {\"radius\": " REF("number") ", \"axis\": "
     REF("vector") ", \"turns\": " REF("whole") "}, \"additionalProperties\": " REF("vector")
     "}]}}"},
    {"own_function",
     "{\"type\": \"object\", \"properties\": {\"function\": " REF("scalar") ", \"uses\": "
     "{\"type\": \"array\", \"items\": " REF("scalar") "}}, \"required\": [\"function\"], "
     "\"additionalProperties\": false}"},
    {"expression", REF("number")},
    {"angular_velocity", "{\"oneOf\": [" REF("number") ", " ROW3 "]}"},
    {"inertia",
     "{\"oneOf\": [" REF("number") ", " ROW3 ", " LIST_OF(REF("number"), 6, 6) ", "
     REF("matrix3") "]}"},
    {"quaternion", LIST_OF(REF("number"), 4, 4)},
    {"orientation",
     "{\"oneOf\": [" REF("number") ", " REF("quaternion") ", {\"type\": \"object\", \"oneOf\": "
     "[{\"required\": [\"axis\", \"angle\"], \"maxProperties\": 2}, {\"required\": "
     "[\"rotation_vector\"], \"maxProperties\": 1}, {\"required\": [\"matrix\"], "
     "\"maxProperties\": 1}, {\"required\": [\"euler\"], \"maxProperties\": 1}, {\"required\": "
     "[\"quaternion\"], \"maxProperties\": 1}], \"properties\": {\"axis\": " ROW3 ", \"angle\": "
     REF("number") ", \"rotation_vector\": " ROW3 ", \"matrix\": " REF("matrix3") ", "
     "\"quaternion\": " REF("quaternion") ", \"euler\": {\"type\": \"object\", \"properties\": "
     "{\"sequence\": {\"type\": \"string\", \"pattern\": \"^(x[yz]|y[xz]|z[xy])[xyz]$\", "
     "\"not\": {\"pattern\": \"(.)\\\\1$\"}}, \"angles\": " ROW3 "}, \"required\": "
     "[\"sequence\", \"angles\"], \"maxProperties\": 2}}}]}"},
    {"shape",
     "{\"type\": \"object\", \"properties\": {" SHAPES ", \"density\": " REF("positive") "}, "
     "\"additionalProperties\": false, \"oneOf\": [{\"required\": [\"box\"]}, {\"required\": "
     "[\"cylinder\"]}, {\"required\": [\"sphere\"]}, {\"required\": [\"rod\"]}], \"if\": "
     "{\"required\": [\"density\"]}, \"then\": {\"properties\": {\"rod\": {\"required\": "
     "[\"radius\"]}}}}"},
    {"one_look",
     "{\"type\": \"object\", \"properties\": {" SHAPES ", \"colour\": {\"type\": \"string\"}, "
     "\"position\": " REF("vector") ", \"orientation\": " REF("orientation") ", "
     "\"mesh\": {\"type\": \"string\", \"minLength\": 1}, \"scale\": {\"oneOf\": ["
     REF("number") ", " ROW3 "]}, \"hide\": " REF("flag") "}, "
     "\"additionalProperties\": false, \"minProperties\": 1, \"oneOf\": [{\"propertyNames\": "
     "{\"enum\": [\"colour\", \"hide\"]}}, {\"required\": [\"box\"]}, {\"required\": "
     "[\"cylinder\"]}, {\"required\": [\"sphere\"]}, {\"required\": [\"rod\"]}, "
     "{\"required\": [\"mesh\"]}], \"dependentRequired\": {\"scale\": [\"mesh\"]}}"},
    {"look",
     "{\"oneOf\": [" REF("one_look") ", {\"type\": \"array\", \"minItems\": 1, \"items\": "
     REF("one_look") "}]}"},
    {"turns",
     "{\"oneOf\": [" REF("whole") ", {\"type\": \"object\", \"additionalProperties\": "
     REF("whole") "}]}"},
    {"each_coordinate",
     "{\"oneOf\": [" REF("number") ", {\"type\": \"object\", \"minProperties\": 1, "
     "\"additionalProperties\": " REF("number") "}]}"},
    {"joint_friction",
     "{\"oneOf\": [" REF("bearing") ", " REF("dry_friction") ", {\"type\": \"object\", \"minProperties\": 1, "
     "\"additionalProperties\": " REF("dry_friction") "}]}"},
    {"bearing",
     "{\"type\": \"object\", \"properties\": {\"coulomb\": " REF("number") ", "
     "\"static_coulomb\": " REF("number") ", \"radius\": " REF("number") ", \"speed\": "
     REF("number") "}, \"required\": [\"coulomb\"], \"additionalProperties\": false}"},
    {"dry_friction",
     "{\"type\": \"object\", \"properties\": {\"friction\": " REF("number") ", "
     "\"static_friction\": " REF("number") ", \"speed\": " REF("number") "}, \"required\": "
     "[\"friction\", \"speed\"], \"additionalProperties\": false}"},
    {"joint_limits",
     "{\"oneOf\": [" REF("stop") ", {\"type\": \"object\", \"minProperties\": 1, "
     "\"additionalProperties\": " REF("stop") "}]}"},
    {"stop",
     "{\"type\": \"object\", \"properties\": {\"lower\": " REF("number") ", \"upper\": "
     REF("number") ", \"restitution\": " REF("number") ", \"stiffness\": " REF("number") ", "
     "\"damping\": " REF("number") "}, \"additionalProperties\": false, " STOP_RULES "}"},
    {"plane", INNER("\"point\": " REF("point") ", \"normal\": " REF("direction"), "")},
    {"ball", INNER("\"radius\": " REF("number") ", \"centre\": " REF("vector"), "\"radius\"")},
    {"disk",
     INNER("\"radius\": " REF("positive") ", \"centre\": " REF("vector") ", \"axis\": "
           REF("direction"), "\"radius\", \"axis\"")},
    {"capsule",
     INNER("\"radius\": " REF("positive") ", \"from\": " REF("vector") ", \"to\": " REF("vector"),
           "\"radius\", \"from\", \"to\"")},
    {"vectors",
     "{\"type\": \"array\", \"minItems\": 1, \"items\": " REF("vector") "}"},
    {"two_numbers", LIST_OF(REF("number"), 2, 2)},
    {"centres",
     "{\"type\": \"object\", \"minProperties\": 1, \"maxProperties\": 2, "
     "\"additionalProperties\": " REF("vector") "}"},
    {"edges", LIST_OF(REF("positive"), 3, 3)},
    {"matrix6", LIST_OF(LIST_OF(REF("number"), 6, 6), 6, 6)},
    {"beam_line",
     "{\"type\": \"object\", \"properties\": {\"from\": " ROW3 ", \"to\": " ROW3 ", "
     "\"elements\": " REF("positive") "}, \"required\": [\"from\", \"to\", \"elements\"], "
     "\"additionalProperties\": false}"},
    {"beam_arc",
     "{\"type\": \"object\", \"properties\": {\"from\": " ROW3 ", \"tangent\": " ROW3 ", "
     "\"normal\": " ROW3 ", \"radius\": " REF("positive") ", \"angle\": " REF("positive") ", "
     "\"elements\": " REF("positive") "}, \"required\": [\"from\", \"tangent\", \"normal\", "
     "\"radius\", \"angle\", \"elements\"], \"additionalProperties\": false}"},
    {"beam_nodes",
     "{\"type\": \"array\", \"minItems\": 2, \"items\": {\"type\": \"object\", \"properties\": "
     "{\"position\": " ROW3 ", \"orientation\": " REF("orientation") "}, \"required\": "
     "[\"position\"], \"additionalProperties\": false}}"},
    {"beam_reference",
     "{\"type\": \"object\", \"properties\": {\"line\": " REF("beam_line") ", \"arc\": "
     REF("beam_arc") ", \"nodes\": " REF("beam_nodes") ", \"y_axis\": " ROW3 "}, "
     "\"additionalProperties\": false, \"oneOf\": [{\"required\": [\"line\"]}, {\"required\": "
     "[\"arc\"]}, {\"required\": [\"nodes\"]}]}"},
    {"beam_section",
     "{\"type\": \"object\", \"properties\": {\"EA\": " REF("positive") ", \"GA\": "
     LIST_OF(REF("positive"), 2, 2) ", \"GJ\": " REF("positive") ", \"EI\": "
     LIST_OF(REF("positive"), 2, 2) ", \"K\": " REF("matrix6") ", \"rhoA\": " REF("positive") ", "
     "\"rhoI\": " LIST_OF(REF("positive"), 3, 3) "}, \"required\": [\"rhoA\", \"rhoI\"], "
     "\"additionalProperties\": false, \"oneOf\": [{\"required\": [\"K\"], \"maxProperties\": 3}, "
     "{\"required\": [\"EA\", \"GA\", \"GJ\", \"EI\"], \"maxProperties\": 6}]}"},
    {"beam_shape",
     "{\"type\": \"object\", \"minProperties\": 1, \"maxProperties\": 1, \"properties\": {"
     SHAPE("circle", "\"radius\": " REF("positive"), "\"radius\"") ", "
     SHAPE("tube", "\"outer\": " REF("positive") ", \"inner\": " REF("number"),
           "\"outer\", \"inner\"") ", \"rectangle\": " LIST_OF(REF("positive"), 2, 2) "}, "
     "\"additionalProperties\": false}"},
    {"beam_material",
     "{\"type\": \"object\", \"properties\": {\"E\": " REF("positive") ", \"nu\": " REF("number")
     ", \"G\": " REF("positive") ", \"density\": " REF("positive") "}, \"required\": [\"E\", "
     "\"density\"], \"additionalProperties\": false, \"oneOf\": [{\"required\": [\"nu\"]}, "
     "{\"required\": [\"G\"]}]}"},
    {"beam_damping",
     "{\"oneOf\": [" REF("number") ", " LIST_OF(REF("number"), 6, 6) "]}"},
    {"beam_velocities",
     "{\"type\": \"array\", \"minItems\": 2, \"items\": " LIST_OF(REF("number"), 6, 6) "}"},
    {"sum",
     "{\"type\": \"object\", \"minProperties\": 1, \"propertyNames\": " REF("coordinate") ", "
     "\"additionalProperties\": {\"allOf\": [" REF("number") ", {\"not\": {\"const\": 0}}]}}"},
    {"stiffness",
     "{\"oneOf\": [" REF("number") ", "
     LIST_OF("{\"oneOf\": [" REF("number") ", " LIST_OF(REF("number"), 6, 6) "]}", 6, 6) "]}"},
    {NULL, NULL}};

const ga_schema_text ga_schema_rules[] = {
    /* a mass, or a shape with a density; vectors in the plane, or in space */
    {"bodies",
     "\"oneOf\": [{\"required\": [\"mass\"]}, {\"required\": [\"shape\"], \"properties\": "
     "{\"shape\": {\"required\": [\"density\"]}}}],\n      \"if\": {\"properties\": {\"kind\": "
     "{\"const\": \"planar\"}}, \"required\": [\"kind\"]},\n      \"then\": {\"properties\": "
     "{\"com\": " REF("vector2") ", \"position\": " REF("vector2") ", \"velocity\": "
     REF("vector2") ", \"inertia\": " REF("number") ", \"orientation\": " REF("number") ", "
     "\"angular_velocity\": " REF("number") "}},\n      \"else\": {\"properties\": {\"com\": "
     REF("vector3") ", \"position\": " REF("vector3") ", \"velocity\": " REF("vector3") ", "
     "\"inertia\": {\"type\": \"array\"}, \"orientation\": {\"type\": [\"array\", \"object\"]}, "
     "\"angular_velocity\": {\"type\": \"array\"}}}"},
    {"beams",
     "\"allOf\": [{\"oneOf\": [{\"required\": [\"line\"]}, {\"required\": [\"arc\"]}, "
     "{\"required\": [\"nodes\"]}]}, {\"oneOf\": [{\"required\": [\"section\"]}, "
     "{\"required\": [\"shape\", \"material\"]}]}]"},
    {"limits", STOP_RULES},
    {"contacts",
     "\"allOf\": [{\"oneOf\": [{\"required\": [\"between\"]}, {\"required\": [\"all\"]}]}, "
     "{\"oneOf\": [{\"required\": [\"stiffness\"], \"properties\": {\"restitution\": "
     "false, \"static_friction\": false}}, {\"properties\": {\"stiffness\": false, \"damping\": "
     "false, \"slip_speed\": false}}]}, {\"dependentRequired\": {\"static_friction\": "
     "[\"friction\"]}}]"},
    {"states",
     "\"oneOf\": [{\"required\": [\"rate\"], \"properties\": {\"value\": false, \"every\": "
     "false}}, {\"required\": [\"value\", \"every\"], \"properties\": {\"rate\": false}}]"},
    {"assemblies", "\"oneOf\": [{\"required\": [\"file\"]}, {\"required\": [\"template\"]}]"},
    {"drives", "\"oneOf\": [{\"required\": [\"position\"]}, {\"required\": [\"rate\"]}]"},
    {"sensors",
     "\"allOf\": [{\"if\": {\"properties\": {\"type\": {\"const\": \"point\"}}}, \"then\": "
     "{\"required\": [\"body\"]}}, {\"if\": {\"properties\": {\"type\": {\"const\": "
     "\"expression\"}}}, \"then\": {\"required\": [\"value\"]}}, {\"if\": {\"properties\": "
     "{\"type\": {\"const\": \"power\"}}}, \"then\": {\"required\": [\"of\"]}}, {\"if\": "
     "{\"properties\": {\"type\": {\"enum\": [\"distance\", \"angle\", \"relative\", "
     "\"orientation\"]}}}, \"then\": {\"required\": [\"between\"]}}, {\"if\": {\"properties\": "
     "{\"type\": {\"const\": \"angle\"}}}, \"then\": {\"required\": [\"directions\"], "
     "\"properties\": {\"directions\": {\"type\": \"object\", \"minProperties\": 2}}}}]"},
    {NULL, NULL}};
