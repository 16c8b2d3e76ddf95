import { ERRORS } from '../routes/v1/warehouse-shapes.ts';
import { DEVICE_STATUS, FAULT_COMMAND, HTTP_COMMAND, NAMED_VARIABLES } from './device-shapes.ts';
import type { Content, JsonSchema, Operation, Paths } from './open-api-document.ts';

/** The two device endpoints, which are served in front of everything else (interface.md, HTTP). */

const TAGS = ['devices'];
const WITHOUT_KEY = 'Without a key. The content type does not matter: the body decides.';

export const DEVICE_PATHS: Paths = {
  '/api/device/status': {
    post: device('post_device_status', 'Takes a status and answers whether the device may run', DEVICE_STATUS, {
      200: { description: 'The command', content: json(HTTP_COMMAND) },
      ...refusals(),
    }),
  },
  '/api/device/vars': {
    post: device('post_device_vars', 'Takes process variables; answers once they are on disk', NAMED_VARIABLES, {
      200: { description: 'Stored; without a body' },
      ...refusals(),
    }),
  },
};

function device(
  operationId: string,
  summary: string,
  schema: JsonSchema,
  responses: Operation['responses'],
): Operation {
  const requestBody = { required: true, content: json(schema) };
  return { operationId, summary, description: WITHOUT_KEY, tags: TAGS, security: [], requestBody, responses };
}

function refusals(): Operation['responses'] {
  return {
    400: { description: 'The body is wrong, or names no configured machine', content: json(ERRORS) },
    403: { description: 'A page of another site sent it', content: json(ERRORS) },
    405: { description: 'Another method than POST', content: json(ERRORS) },
    413: { description: 'The body is above 64 KiB', content: json(ERRORS) },
    500: { description: 'An internal fault; the command permits nothing', content: json(FAULT_COMMAND) },
  };
}

function json(schema: JsonSchema): Content {
  return { 'application/json': { schema } };
}
