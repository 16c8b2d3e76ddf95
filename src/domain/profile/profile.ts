/** Roll-form cross-sections as the library keeps them (interface.md, Profiles; D-22). */

export const SIDES = ['Positive', 'Negative'] as const;
export type Side = (typeof SIDES)[number];

export const RADIUS_QUALITIES = ['Coarse', 'Medium', 'Fine'] as const;

export const FEATURE_TYPES = ['Straight', 'Angle', 'Radius', 'OpenHem', 'ClosedHem', 'TearDropHem'] as const;
export type FeatureType = (typeof FEATURE_TYPES)[number];

interface Labelled {
  /** The library's own label: trimmed, unique within the profile, never sent to machines. */
  readonly name?: string;
}

/** Anything but an open hem: its hem height is stored as 0 (PROF-04). */
interface WithoutHemHeight extends Labelled {
  readonly hemHeight: 0;
}

export interface Straight extends WithoutHemHeight {
  readonly type: 'Straight';
  readonly length: number;
}

/** A bend between two straights. Angles are degrees of bend: positive ones turn left, seen along the path. */
export type Bend =
  | (WithoutHemHeight & { readonly type: 'Angle'; readonly angle: number })
  | (WithoutHemHeight & {
      readonly type: 'Radius';
      readonly angle: number;
      readonly radius: number;
      readonly radiusQuality: (typeof RADIUS_QUALITIES)[number];
    })
  | Hem;

/** A fold back onto the sheet, to the left if its direction is positive. */
export type Hem =
  | (Labelled & { readonly type: 'OpenHem'; readonly hemDirection: Side; readonly hemHeight: number })
  | (WithoutHemHeight & { readonly type: 'ClosedHem'; readonly hemDirection: Side })
  | (WithoutHemHeight & {
      readonly type: 'TearDropHem';
      readonly hemDirection: Side;
      readonly hemClampOffset: number;
    });

/** Straights at even places, bends at odd ones, a straight at both ends. */
export type Feature = Straight | Bend;

/** A profile as a client sent it; null for omitted fields. */
export interface ProfileContent {
  readonly profileName: string;
  readonly description: string | null;
  readonly owningCatalogId: number;
  readonly category: string | null;
  readonly subCategory: string | null;
  readonly paintedSide: Side | null;
  readonly features: readonly Feature[];
}

/** A profile of the library, as it is answered and stored. Dates are ISO 8601 with Z. */
export interface Profile extends ProfileContent {
  readonly profileId: string;
  /** Counts every change, from 1. */
  readonly revision: number;
  readonly blankWidth: number;
  readonly archived: boolean;
  readonly createdBy: string;
  readonly createdDate: string;
  readonly editedBy: string;
  readonly editedDate: string;
}

export function isStraight(feature: Feature): feature is Straight {
  return feature.type === 'Straight';
}

/** The length of flat strip that a feature takes. Angles and hems take none (PROF-03). */
export function stripLength(feature: Feature): number {
  if (feature.type === 'Straight') return feature.length;
  return feature.type === 'Radius' ? feature.radius : 0;
}
