import type { WorkPlanSettings } from '../../domain/shift/work-plan.ts';

/** Three shifts with their breaks. Nights are not worked on Saturdays. */
export const SAMPLE_SHIFTS: Omit<WorkPlanSettings, 'timeZone'> = {
  shifts: [
    {
      name: 'Early',
      start: '06:00',
      breaks: [
        { start: '08:30', minutes: 15 },
        { start: '11:30', minutes: 30 },
      ],
    },
    { name: 'Late', start: '14:00', breaks: [{ start: '18:00', minutes: 30 }] },
    {
      name: 'Night',
      start: '22:00',
      days: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sun'],
      breaks: [{ start: '02:00', minutes: 30 }],
    },
  ],
};
