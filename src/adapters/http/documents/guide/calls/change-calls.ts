import type { BusinessTopic } from './business-call.ts';

export const CHANGE_CALLS: BusinessTopic = {
  id: 'changes',
  heading: 'Follow changes instead of polling lists',
  calls: [
    {
      about:
        'It begins now: read the lists once, then ask with after= and the cursor. An entry names a task, coil, order or profile to read again; its id is null where many changed. Changes are kept for 7 days; at reset begin anew',
      method: 'GET',
      path: '/changes',
      status: 200,
      answer: { cursor: '3f2a9c0d5b7e1846.7', more: false, reset: true, changes: [] },
    },
  ],
};
