import type { MirrorQueries } from '../../../../flows/mirror/mirror-ports.ts';
import type { TaskQueries } from '../warehouse/task-queries.ts';
import type { Mirror } from './mirror.ts';

type Answer<Question extends keyof MirrorQueries> = Awaited<ReturnType<MirrorQueries[Question]>>;

type Answers = {
  readonly [Question in keyof MirrorQueries]: (
    ...args: Parameters<MirrorQueries[Question]>
  ) => Answer<Question> | Promise<Answer<Question>>;
};

/** The store's answers to the mirror. */
export function mirrorAnswers({ tables, lists, profiles, orders, staged }: Mirror, taskQueries: TaskQueries): Answers {
  return {
    mirrorBegin: async (kind, scope) => {
      if (kind === 'profiles') profiles.begin();
      else if (kind === 'orders') await orders.begin();
      else await tables[kind].begin(scope);
    },
    mirrorPage: (kind, bytes, machines) => tables[kind].page(bytes, machines),
    mirrorApply: (kind, at, isComplete) => tables[kind].apply(at, isComplete),
    mirrorUnlisted: async (limit) => tables.tasks.unread(await taskQueries.incompleteIds(), limit),
    mirrorRecord: (kind, id, bytes, machines) => tables[kind].one(id, bytes, machines),
    mirrorList: (kind, bytes) => lists.read(kind, bytes),
    mirrorListTaken: (kind) => lists.taken(kind),
    mirrorProfilePage: (bytes) => profiles.page(bytes),
    mirrorNextProfiles: () => profiles.next(),
    mirrorProfileName: (profileId) => profiles.nameOf(profileId),
    mirrorProfile: (bytes) => profiles.one(bytes),
    mirrorEndProfiles: (at) => profiles.archiveGone(at),
    mirrorOrders: (bytes, at) => orders.read(bytes, at),
    mirrorNote: (kind, at) => staged.note(kind, at),
    mirrorAges: () => staged.ages(),
  };
}
