import type { StopView } from '../../../flows/production/production-views.ts';

/** The fill of a reason's bar by its group: a tone or a pattern, never a hue. Red alone says that a person is needed. */
export function fillOf({ key, group, planned }: StopView): { readonly fill?: string; readonly className?: string } {
  if (key === null) return { className: 'f-now' };
  if (planned === true) return { className: 'f-plan' };
  switch (group?.trim().toLowerCase()) {
    case 'breakdown':
    case 'störung':
    case 'ausfall':
      return { className: 'f-down' };
    case 'setup':
    case 'rüsten':
      return { fill: 'url(#p-setup)' };
    case 'staff':
    case 'personal':
      return { fill: 'url(#p-staff)' };
    case 'quality':
    case 'qualität':
      return { fill: 'url(#p-fault)' };
    default:
      return { className: 'f-run' };
  }
}
