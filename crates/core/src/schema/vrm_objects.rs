//! Schemas of the VRM extensions.
//!
//! The properties are those of the [VRM specification](https://github.com/vrm-c/vrm-specification). Version 0.x writes -1 for no
//! element, and permits empty arrays.

use super::core_objects::{ANY_NUMBER, COLOR, FRACTION, NAME, NOT_NEGATIVE, TEXTURE_INFO};
use super::{PropertyType, Schema, optional, required, schemas};
use PropertyType::{Any, Bool, Index, Number, Numbers, Object, ObjectList, ObjectMap, Objects, String, StringEnum};

const VECTOR: PropertyType = Numbers(&[3], -f64::MAX, f64::MAX);
const VECTOR_2: PropertyType = Numbers(&[2], -f64::MAX, f64::MAX);
const INDEX_OR_NONE: PropertyType = Number(|x| x >= -1.0 && x.fract() == 0.0, "an index, or -1 for none");
const OVERRIDE: PropertyType = StringEnum(&["none", "block", "blend"]);
const PERMISSION: PropertyType = StringEnum(&["Disallow", "Allow"]);
const VERSION: PropertyType = StringEnum(&["1.0"]);

schemas! {
    pub(super) VRM_0 "VRM" {
        optional("exporterVersion", String),
        optional("specVersion", String),
        optional("meta", Object(&META_0)),
        required("humanoid", Object(&HUMANOID_0)),
        optional("firstPerson", Object(&FIRST_PERSON_0)),
        optional("blendShapeMaster", Object(&BLEND_SHAPE_MASTER)),
        optional("secondaryAnimation", Object(&SECONDARY_ANIMATION)),
        optional("materialProperties", ObjectList(&MATERIAL_PROPERTIES_0)),
    }
    META_0 "VRM.meta" {
        optional("title", String),
        optional("version", String),
        optional("author", String),
        optional("contactInformation", String),
        optional("reference", String),
        optional("texture", INDEX_OR_NONE),
        optional("allowedUserName", StringEnum(&["OnlyAuthor", "ExplicitlyLicensedPerson", "Everyone"])),
        optional("violentUssageName", PERMISSION),
        optional("sexualUssageName", PERMISSION),
        optional("commercialUssageName", PERMISSION),
        optional("otherPermissionUrl", String),
        optional("licenseName", StringEnum(&[
            "Redistribution_Prohibited", "CC0", "CC_BY", "CC_BY_NC", "CC_BY_SA", "CC_BY_NC_SA", "CC_BY_ND", "CC_BY_NC_ND", "Other",
        ])),
        optional("otherLicenseUrl", String),
    }
    HUMANOID_0 "VRM.humanoid" {
        required("humanBones", ObjectList(&HUMAN_BONE_0)),
        optional("armStretch", ANY_NUMBER),
        optional("legStretch", ANY_NUMBER),
        optional("upperArmTwist", ANY_NUMBER),
        optional("lowerArmTwist", ANY_NUMBER),
        optional("upperLegTwist", ANY_NUMBER),
        optional("lowerLegTwist", ANY_NUMBER),
        optional("feetSpacing", ANY_NUMBER),
        optional("hasTranslationDoF", Bool),
    }
    HUMAN_BONE_0 "VRM.humanoid.bone" {
        required("bone", String),
        required("node", Index),
        optional("useDefaultValues", Bool),
        optional("min", Any),
        optional("max", Any),
        optional("center", Any),
        optional("axisLength", ANY_NUMBER),
    }
    FIRST_PERSON_0 "VRM.firstPerson" {
        optional("firstPersonBone", INDEX_OR_NONE),
        optional("firstPersonBoneOffset", Object(&VECTOR_0)),
        optional("meshAnnotations", ObjectList(&MESH_ANNOTATION_0)),
        optional("lookAtTypeName", StringEnum(&["Bone", "BlendShape"])),
        optional("lookAtHorizontalInner", Object(&DEGREE_MAP)),
        optional("lookAtHorizontalOuter", Object(&DEGREE_MAP)),
        optional("lookAtVerticalDown", Object(&DEGREE_MAP)),
        optional("lookAtVerticalUp", Object(&DEGREE_MAP)),
    }
    VECTOR_0 "VRM.vector" { optional("x", ANY_NUMBER), optional("y", ANY_NUMBER), optional("z", ANY_NUMBER) }
    MESH_ANNOTATION_0 "VRM.firstPerson.meshAnnotation" {
        optional("mesh", INDEX_OR_NONE),
        optional("firstPersonFlag", StringEnum(&["Auto", "FirstPersonOnly", "ThirdPersonOnly", "Both"])),
    }
    DEGREE_MAP "VRM.firstPerson.degreeMap" {
        optional("curve", Any),
        optional("xRange", ANY_NUMBER),
        optional("yRange", ANY_NUMBER),
    }
    BLEND_SHAPE_MASTER "VRM.blendShapeMaster" { optional("blendShapeGroups", ObjectList(&BLEND_SHAPE_GROUP)) }
    BLEND_SHAPE_GROUP "VRM.blendShapeGroup" {
        NAME,
        optional("presetName", String),
        optional("binds", ObjectList(&BLEND_SHAPE_BIND)),
        optional("materialValues", ObjectList(&MATERIAL_VALUE_0)),
        optional("isBinary", Bool),
    }
    BLEND_SHAPE_BIND "VRM.blendShapeGroup.bind" {
        optional("mesh", INDEX_OR_NONE),
        optional("index", INDEX_OR_NONE),
        optional("weight", Number(|x| (0.0..=100.0).contains(&x), "0 to 100")),
    }
    MATERIAL_VALUE_0 "VRM.blendShapeGroup.materialValue" {
        optional("materialName", String),
        optional("propertyName", String),
        optional("targetValue", Any),
    }
    SECONDARY_ANIMATION "VRM.secondaryAnimation" {
        optional("boneGroups", ObjectList(&BONE_GROUP)),
        optional("colliderGroups", ObjectList(&COLLIDER_GROUP_0)),
    }
    BONE_GROUP "VRM.secondaryAnimation.boneGroup" {
        optional("comment", String),
        optional("stiffiness", ANY_NUMBER),
        optional("gravityPower", ANY_NUMBER),
        optional("gravityDir", Object(&VECTOR_0)),
        optional("dragForce", ANY_NUMBER),
        optional("center", INDEX_OR_NONE),
        optional("hitRadius", ANY_NUMBER),
        optional("bones", Any),
        optional("colliderGroups", Any),
    }
    COLLIDER_GROUP_0 "VRM.secondaryAnimation.colliderGroup" {
        optional("node", INDEX_OR_NONE),
        optional("colliders", ObjectList(&COLLIDER_0)),
    }
    COLLIDER_0 "VRM.secondaryAnimation.collider" { optional("offset", Object(&VECTOR_0)), optional("radius", ANY_NUMBER) }
    MATERIAL_PROPERTIES_0 "VRM.materialProperties" {
        NAME,
        optional("shader", String),
        optional("renderQueue", ANY_NUMBER),
        optional("floatProperties", Any),
        optional("vectorProperties", Any),
        optional("textureProperties", Any),
        optional("keywordMap", Any),
        optional("tagMap", Any),
    }

    pub(super) VRM_1 "VRMC_vrm" {
        required("specVersion", VERSION),
        required("meta", Object(&META)),
        required("humanoid", Object(&HUMANOID)),
        optional("firstPerson", Object(&FIRST_PERSON)),
        optional("lookAt", Object(&LOOK_AT)),
        optional("expressions", Object(&EXPRESSIONS)),
    }
    META "VRMC_vrm.meta" {
        required("name", String),
        optional("version", String),
        required("authors", Any),
        optional("copyrightInformation", String),
        optional("contactInformation", String),
        optional("references", Any),
        optional("thirdPartyLicenses", String),
        optional("thumbnailImage", Index),
        required("licenseUrl", StringEnum(&["https://vrm.dev/licenses/1.0/"])),
        optional("avatarPermission", StringEnum(&["onlyAuthor", "onlySeparatelyLicensedPerson", "everyone"])),
        optional("allowExcessivelyViolentUsage", Bool),
        optional("allowExcessivelySexualUsage", Bool),
        optional("commercialUsage", StringEnum(&["personalNonProfit", "personalProfit", "corporation"])),
        optional("allowPoliticalOrReligiousUsage", Bool),
        optional("allowAntisocialOrHateUsage", Bool),
        optional("creditNotation", StringEnum(&["required", "unnecessary"])),
        optional("allowRedistribution", Bool),
        optional("modification", StringEnum(&["prohibited", "allowModification", "allowModificationRedistribution"])),
        optional("otherLicenseUrl", String),
    }
    HUMANOID "VRMC_vrm.humanoid" { required("humanBones", ObjectMap(&HUMAN_BONE)) }
    HUMAN_BONE "VRMC_vrm.humanoid.humanBone" { required("node", Index) }
    FIRST_PERSON "VRMC_vrm.firstPerson" { optional("meshAnnotations", ObjectList(&MESH_ANNOTATION)) }
    MESH_ANNOTATION "VRMC_vrm.firstPerson.meshAnnotation" {
        required("node", Index),
        required("type", StringEnum(&["auto", "both", "thirdPersonOnly", "firstPersonOnly"])),
    }
    LOOK_AT "VRMC_vrm.lookAt" {
        optional("offsetFromHeadBone", VECTOR),
        optional("type", StringEnum(&["bone", "expression"])),
        optional("rangeMapHorizontalInner", Object(&RANGE_MAP)),
        optional("rangeMapHorizontalOuter", Object(&RANGE_MAP)),
        optional("rangeMapVerticalDown", Object(&RANGE_MAP)),
        optional("rangeMapVerticalUp", Object(&RANGE_MAP)),
    }
    RANGE_MAP "VRMC_vrm.lookAt.rangeMap" { optional("inputMaxValue", ANY_NUMBER), optional("outputScale", ANY_NUMBER) }
    EXPRESSIONS "VRMC_vrm.expressions" {
        optional("preset", ObjectMap(&EXPRESSION)),
        optional("custom", ObjectMap(&EXPRESSION)),
    }
    EXPRESSION "VRMC_vrm.expression" {
        optional("isBinary", Bool),
        optional("morphTargetBinds", ObjectList(&MORPH_TARGET_BIND)),
        optional("materialColorBinds", ObjectList(&MATERIAL_COLOR_BIND)),
        optional("textureTransformBinds", ObjectList(&TEXTURE_TRANSFORM_BIND)),
        optional("overrideBlink", OVERRIDE),
        optional("overrideLookAt", OVERRIDE),
        optional("overrideMouth", OVERRIDE),
    }
    MORPH_TARGET_BIND "VRMC_vrm.expression.morphTargetBind" {
        required("node", Index),
        required("index", Index),
        required("weight", FRACTION),
    }
    MATERIAL_COLOR_BIND "VRMC_vrm.expression.materialColorBind" {
        required("material", Index),
        required("type", StringEnum(&["color", "emissionColor", "shadeColor", "matcapColor", "rimColor", "outlineColor"])),
        required("targetValue", Numbers(&[4], -f64::MAX, f64::MAX)),
    }
    TEXTURE_TRANSFORM_BIND "VRMC_vrm.expression.textureTransformBind" {
        optional("material", Index),
        optional("scale", VECTOR_2),
        optional("offset", VECTOR_2),
    }

    pub(super) MTOON "VRMC_materials_mtoon" {
        required("specVersion", String),
        optional("transparentWithZWrite", Bool),
        optional("renderQueueOffsetNumber", Number(|x| (-9.0..=9.0).contains(&x) && x.fract() == 0.0, "an integer from -9 to 9")),
        optional("shadeColorFactor", COLOR),
        optional("shadeMultiplyTexture", Object(&TEXTURE_INFO)),
        optional("shadingShiftFactor", ANY_NUMBER),
        optional("shadingShiftTexture", Object(&SHADING_SHIFT_TEXTURE)),
        optional("shadingToonyFactor", FRACTION),
        optional("giEqualizationFactor", FRACTION),
        optional("matcapFactor", COLOR),
        optional("matcapTexture", Object(&TEXTURE_INFO)),
        optional("parametricRimColorFactor", COLOR),
        optional("rimMultiplyTexture", Object(&TEXTURE_INFO)),
        optional("rimLightingMixFactor", FRACTION),
        optional("parametricRimFresnelPowerFactor", NOT_NEGATIVE),
        optional("parametricRimLiftFactor", ANY_NUMBER),
        optional("outlineWidthMode", StringEnum(&["none", "worldCoordinates", "screenCoordinates"])),
        optional("outlineWidthFactor", NOT_NEGATIVE),
        optional("outlineWidthMultiplyTexture", Object(&TEXTURE_INFO)),
        optional("outlineColorFactor", COLOR),
        optional("outlineLightingMixFactor", FRACTION),
        optional("uvAnimationMaskTexture", Object(&TEXTURE_INFO)),
        optional("uvAnimationScrollXSpeedFactor", ANY_NUMBER),
        optional("uvAnimationScrollYSpeedFactor", ANY_NUMBER),
        optional("uvAnimationRotationSpeedFactor", ANY_NUMBER),
    }
    pub(super) SHADING_SHIFT_TEXTURE "VRMC_materials_mtoon.shadingShiftTextureInfo" {
        required("index", Index),
        optional("texCoord", Index),
        optional("scale", ANY_NUMBER),
    }

    pub(super) NODE_CONSTRAINT "VRMC_node_constraint" {
        required("specVersion", VERSION),
        required("constraint", Object(&CONSTRAINT)),
    }
    CONSTRAINT "VRMC_node_constraint.constraint" {
        optional("roll", Object(&ROLL_CONSTRAINT)),
        optional("aim", Object(&AIM_CONSTRAINT)),
        optional("rotation", Object(&ROTATION_CONSTRAINT)),
    }
    ROLL_CONSTRAINT "VRMC_node_constraint.rollConstraint" {
        required("source", Index),
        required("rollAxis", StringEnum(&["X", "Y", "Z"])),
        optional("weight", FRACTION),
    }
    AIM_CONSTRAINT "VRMC_node_constraint.aimConstraint" {
        required("source", Index),
        required("aimAxis", StringEnum(&["PositiveX", "NegativeX", "PositiveY", "NegativeY", "PositiveZ", "NegativeZ"])),
        optional("weight", FRACTION),
    }
    ROTATION_CONSTRAINT "VRMC_node_constraint.rotationConstraint" { required("source", Index), optional("weight", FRACTION) }

    pub(super) SPRING_BONE "VRMC_springBone" {
        optional("specVersion", String),
        optional("colliders", Objects(&COLLIDER)),
        optional("colliderGroups", Objects(&COLLIDER_GROUP)),
        optional("springs", Objects(&SPRING)),
    }
    COLLIDER "VRMC_springBone.collider" { required("node", Index), required("shape", Object(&COLLIDER_SHAPE)) }
    COLLIDER_SHAPE "VRMC_springBone.shape" { optional("sphere", Object(&SPHERE)), optional("capsule", Object(&CAPSULE)) }
    SPHERE "VRMC_springBone.sphere" { optional("offset", VECTOR), optional("radius", ANY_NUMBER) }
    CAPSULE "VRMC_springBone.capsule" {
        optional("offset", VECTOR),
        optional("radius", ANY_NUMBER),
        optional("tail", VECTOR),
    }
    COLLIDER_GROUP "VRMC_springBone.colliderGroup" { NAME, optional("colliders", Any) }
    SPRING "VRMC_springBone.spring" {
        NAME,
        required("joints", Objects(&SPRING_JOINT)),
        optional("colliderGroups", Any),
        optional("center", Index),
    }
    SPRING_JOINT "VRMC_springBone.joint" {
        required("node", Index),
        optional("hitRadius", ANY_NUMBER),
        optional("stiffness", NOT_NEGATIVE),
        optional("gravityPower", ANY_NUMBER),
        optional("gravityDir", VECTOR),
        optional("dragForce", FRACTION),
    }
}
