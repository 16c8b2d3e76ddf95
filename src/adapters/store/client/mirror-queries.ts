import type { MirrorQueries } from '../../../flows/mirror/mirror-ports.ts';
import type { OpenQuestions } from './questions.ts';

/** Answers of the central server, handed to the store thread. */
export function mirrorQueries(ask: OpenQuestions['ask']): MirrorQueries {
  return {
    mirrorBegin: (kind, scope) => ask('mirrorBegin', kind, scope),
    mirrorPage: (kind, bytes, machines) => ask('mirrorPage', kind, bytes, machines),
    mirrorApply: (kind, at, isComplete) => ask('mirrorApply', kind, at, isComplete),
    mirrorUnlisted: (limit) => ask('mirrorUnlisted', limit),
    mirrorRecord: (kind, id, bytes, machines) => ask('mirrorRecord', kind, id, bytes, machines),
    mirrorList: (kind, bytes) => ask('mirrorList', kind, bytes),
    mirrorListForget: (kind) => ask('mirrorListForget', kind),
    mirrorProfilePage: (bytes) => ask('mirrorProfilePage', bytes),
    mirrorProfileName: (profileId) => ask('mirrorProfileName', profileId),
    mirrorProfile: (bytes) => ask('mirrorProfile', bytes),
    mirrorGoneProfiles: (at) => ask('mirrorGoneProfiles', at),
    mirrorOrders: (bytes, at) => ask('mirrorOrders', bytes, at),
    mirrorNote: (kind, at) => ask('mirrorNote', kind, at),
    mirrorAges: () => ask('mirrorAges'),
  };
}
