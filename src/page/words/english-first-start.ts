/** The texts that only a gateway needs that is not set up completely yet. */
export const englishFirstStart = {
  starterReasons: {
    title: 'No reasons for stops are set up',
    why: 'A machine that has stopped waits until a person says why. These ten are usual. Admin → Reasons adds others, and removes any of them.',
    take: 'Use these ten',
    taken: 'Ten reasons are set up',
    takenHint: 'Admin → Reasons adds and removes them.',
    reasons: {
      coilChange: 'Coil change',
      setUp: 'Profile change, set-up',
      jam: 'Material jam',
      tool: 'Tool or blade fault',
      noMaterial: 'No material',
      noOrder: 'No order',
      cleaning: 'Cleaning, maintenance',
      break: 'Break',
      drive: 'Drive fault',
      electrical: 'Electrical fault',
    },
    /** The group of set-ups has this name in every language, because it has a meaning (D-07). */
    groups: { planned: 'Planned', setUp: 'Setup', breakdown: 'Breakdown', waiting: 'Waiting' },
  },
};
