import type { Profile } from '../profile/profile.ts';
import { profileContent } from '../profile/profile-entry.ts';
import type { Operation } from './operation.ts';

/** An operation as a request to the interface's own endpoints (interface.md, The business interface; D-22). */
export interface OperationRequest {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** JSON; null without a body. */
  readonly body: string | null;
}

/**
 * The request that carries an operation out. `upstreamProfileId` is the central server's id of the operation's profile; null: the server
 * does not have it yet, so that it is created. Returns null for archiving a profile that the server does not have.
 */
export function operationRequest(operation: Operation, upstreamProfileId: string | null): OperationRequest | null {
  switch (operation.type) {
    case 'taskOperation': {
      const { type, ...fields } = operation.operation;
      return post(`${taskPath(operation.taskId)}/${type}`, type === 'ready' ? null : given(fields));
    }
    case 'coilMove':
      return post(`${coilPath(operation.coilId)}/location`, { location: operation.location });
    case 'orderPut':
      return { method: 'POST', path: '/api/v1/orders/add', body: operation.json };
    case 'orderRemoved':
      return { method: 'DELETE', path: `/api/v1/orders/${segment(operation.ordId)}`, body: null };
    case 'profilePut':
      return profileRequest(operation.profile, upstreamProfileId);
    case 'profileArchived':
      if (upstreamProfileId === null) return null;
      return { method: 'DELETE', path: profilePath(upstreamProfileId), body: null };
  }
}

export function taskPath(taskId: string): string {
  return `/api/v1/warehouseTasks/${segment(taskId)}`;
}

export function coilPath(coilId: string): string {
  return `/api/v1/coils/${segment(coilId)}`;
}

export function profilePath(profileId: string): string {
  return `/api/v1/profiles/${segment(profileId)}`;
}

function profileRequest(profile: Profile, upstreamProfileId: string | null): OperationRequest {
  const body = JSON.stringify(given({ ...profileContent(profile) }));
  if (upstreamProfileId === null) return { method: 'POST', path: '/api/v1/profiles', body };
  return { method: 'PUT', path: profilePath(upstreamProfileId), body };
}

function post(path: string, body: object | null): OperationRequest {
  return { method: 'POST', path, body: body === null ? null : JSON.stringify(body) };
}

/** The fields that are not null: a field that was left out here is left out there. */
export function given(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

function segment(id: string): string {
  return encodeURIComponent(id.toWellFormed());
}
