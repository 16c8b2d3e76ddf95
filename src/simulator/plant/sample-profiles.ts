import type { Bend, Side, Straight } from '../../domain/profile/profile.ts';

/** A profile as it is sent to `POST /api/v1/profiles`. Lengths in inches. */
export interface SampleProfile {
  readonly profileName: string;
  readonly description: string;
  readonly category: string;
  readonly subCategory: string;
  readonly paintedSide?: Side;
  readonly features: readonly (Straight | Bend)[];
}

const straight = (length: number): Straight => ({ type: 'Straight', length, hemHeight: 0 });
const angle = (degrees: number): Bend => ({ type: 'Angle', angle: degrees, hemHeight: 0 });
const radius = (size: number, degrees: number): Bend => ({
  type: 'Radius',
  radius: size,
  angle: degrees,
  radiusQuality: 'Medium',
  hemHeight: 0,
});
const openHem = (hemDirection: Side, hemHeight: number): Bend => ({ type: 'OpenHem', hemDirection, hemHeight });
const closedHem = (hemDirection: Side): Bend => ({ type: 'ClosedHem', hemDirection, hemHeight: 0 });
const tearDropHem = (hemDirection: Side, hemClampOffset: number): Bend => ({
  type: 'TearDropHem',
  hemDirection,
  hemClampOffset,
  hemHeight: 0,
});

/** A shape of straights, given as numbers, and bends. */
function shape(...parts: readonly (number | Bend)[]): readonly (Straight | Bend)[] {
  return parts.map((part) => (typeof part === 'number' ? straight(part) : part));
}

/** These parts, repeated. */
function repeated(count: number, ...parts: readonly (number | Bend)[]): readonly (number | Bend)[] {
  return Array.from({ length: count }, () => parts).flat();
}

const TRIM = { category: 'Trim', paintedSide: 'Positive' } as const;
const STRUCTURAL = { category: 'Structural', subCategory: 'Framing' } as const;
const PANEL = { category: 'Panel', paintedSide: 'Positive' } as const;

/** Twenty shapes that roll formers make every day. */
export const SAMPLE_PROFILES: readonly SampleProfile[] = [
  {
    ...TRIM,
    profileName: 'Ridge cap',
    subCategory: 'Roof',
    description: 'Closed hems on both edges, 4:12 pitch',
    features: shape(0.5, closedHem('Negative'), 6.5, angle(-36.87), 6.5, closedHem('Negative'), 0.5),
  },
  {
    ...TRIM,
    profileName: 'Drip edge',
    subCategory: 'Roof',
    description: 'Type D with a kick',
    features: shape(3, angle(-90), 1.5, angle(45), 0.375),
  },
  {
    ...TRIM,
    profileName: 'Drip edge, hemmed',
    subCategory: 'Roof',
    description: 'The kick ends in an open hem',
    features: shape(4, angle(-90), 2, angle(50), 0.5, openHem('Negative', 0.125), 0.375),
  },
  {
    ...TRIM,
    profileName: 'J-channel',
    subCategory: 'Siding',
    description: 'For 3/4 in siding',
    features: shape(0.5, angle(90), 0.75, angle(90), 2.25),
  },
  {
    ...STRUCTURAL,
    profileName: 'Z-purlin 8 in',
    description: 'Lips at 50 degrees',
    features: shape(0.9, angle(50), 2.5, radius(0.25, -90), 7.5, radius(0.25, 90), 2.5, angle(-50), 0.9),
  },
  {
    ...STRUCTURAL,
    profileName: 'Hat channel',
    description: '7/8 in deep',
    features: shape(0.5, angle(75), 0.9, angle(-75), 1.25, angle(-75), 0.9, angle(75), 0.5),
  },
  {
    ...PANEL,
    profileName: 'Standing seam panel',
    subCategory: 'Roof',
    description: '16 in cover, two stiffening ribs',
    features: shape(
      ...[
        0.4,
        closedHem('Negative'),
        0.5,
        angle(-90),
        1.75,
        angle(90),
        4.5,
        angle(20),
        0.3,
        angle(-40),
        0.3,
        angle(20),
      ],
      ...[4.5, angle(20), 0.3, angle(-40), 0.3, angle(20), 4.5, angle(90), 1.9, angle(-90), 0.55, angle(-90), 0.45],
    ),
  },
  {
    ...STRUCTURAL,
    profileName: 'C-purlin 8 in',
    description: 'Round corners',
    features: shape(0.8, radius(0.2, 90), 2.2, radius(0.2, 90), 7.6, radius(0.2, 90), 2.2, radius(0.2, 90), 0.8),
  },
  {
    ...TRIM,
    profileName: 'Box gutter 6 in',
    subCategory: 'Gutter',
    description: 'Back flange and a rolled front',
    features: shape(1, angle(-90), 5, angle(90), 4.5, angle(75), 4, angle(-75), 1, angle(90), 0.5, angle(90), 0.5),
  },
  {
    ...TRIM,
    profileName: 'Half-round gutter',
    subCategory: 'Gutter',
    description: 'Round bead at the front',
    features: shape(0.5, angle(-90), 0.75, radius(2.5, 178), 0.2, radius(0.3, -175), 0.05, radius(0.3, -150), 0.05),
  },
  {
    ...TRIM,
    profileName: 'Rake trim',
    subCategory: 'Roof',
    description: 'Hemmed bottom',
    features: shape(0.5, angle(-45), 4.5, angle(-90), 5.5, angle(60), 0.6, closedHem('Negative'), 0.4),
  },
  {
    ...TRIM,
    profileName: 'Outside corner',
    subCategory: 'Wall',
    description: 'Open hems to slide over panel edges',
    features: shape(0.5, openHem('Negative', 0.2), 3.5, angle(-90), 3.5, openHem('Negative', 0.2), 0.5),
  },
  {
    ...TRIM,
    profileName: 'W valley',
    subCategory: 'Roof',
    description: 'Centre rib and hemmed edges',
    features: shape(
      0.5,
      closedHem('Negative'),
      8,
      angle(45),
      1,
      angle(-90),
      1,
      angle(45),
      8,
      closedHem('Negative'),
      0.5,
    ),
  },
  {
    ...TRIM,
    profileName: 'Eave trim',
    subCategory: 'Roof',
    description: 'For 3:12, teardrop hem at the drip',
    features: shape(3, angle(-104), 4, angle(30), 0.75, tearDropHem('Negative', 0.05), 0.5),
  },
  {
    ...TRIM,
    profileName: 'Transition',
    subCategory: 'Roof',
    description: 'From 8:12 to 3:12',
    features: shape(0.4, closedHem('Negative'), 7, angle(-19.7), 6, angle(90), 0.75, angle(-90), 0.75),
  },
  {
    ...PANEL,
    profileName: 'Corrugated panel',
    subCategory: 'Wall',
    description: '7/8 in deep, radii throughout',
    features: shape(
      0.2,
      radius(0.7, 45),
      0.4,
      ...repeated(5, radius(0.7, -90), 0.4, radius(0.7, 90), 0.4),
      radius(0.7, -45),
      0.2,
    ),
  },
  {
    ...PANEL,
    profileName: 'Ag panel',
    subCategory: 'Roof',
    description: '36 in cover, 3/4 in ribs at 9 in',
    features: shape(
      0.3,
      ...repeated(
        4,
        angle(60),
        0.85,
        angle(-60),
        0.75,
        angle(-60),
        0.85,
        angle(60),
        2.2,
        angle(35),
        0.25,
        angle(-35),
        0.5,
        angle(-35),
        0.25,
        angle(35),
        2.2,
      ),
      ...[angle(60), 0.85, angle(-60), 0.75, angle(-60), 0.85, angle(60), 0.3],
    ),
  },
  {
    ...TRIM,
    profileName: 'Window sill',
    subCategory: 'Wall',
    description: 'Upstand behind, drip in front',
    features: shape(
      0.4,
      closedHem('Negative'),
      1.25,
      angle(82),
      5,
      angle(-82),
      1.5,
      angle(45),
      0.6,
      tearDropHem('Negative', 0),
      0.4,
    ),
  },
  {
    ...TRIM,
    profileName: 'Fascia',
    subCategory: 'Roof',
    description: '6 in face, 3/4 in return',
    features: shape(1.5, angle(-90), 6, angle(-90), 0.75, closedHem('Negative'), 0.5),
  },
  {
    ...TRIM,
    profileName: 'Box with hems',
    subCategory: 'Enclosure',
    paintedSide: 'Negative',
    description: 'Two hems meet at the top',
    features: shape(
      0.6,
      openHem('Positive', 0.15),
      1.8,
      angle(90),
      3,
      angle(90),
      4,
      angle(90),
      3,
      angle(90),
      1.8,
      openHem('Positive', 0.15),
      0.6,
    ),
  },
];
