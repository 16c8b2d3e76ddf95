import { expect, it } from 'vitest';
import { howToRestart } from '../../../src/cli/commands/service/how-to-restart.ts';

const OTHER = { by: 'other', command: null };
const service = (command: string) => ({ by: 'service', command });

it.each([
  ['the service', '0::/system.slice/plantgate.service\n', service('systemctl restart plantgate')],
  ['a service of another name', '0::/system.slice/gate@line-3.service\n', service('systemctl restart gate@line-3')],
  [
    'a service of a person',
    '0::/user.slice/user-1000.slice/user@1000.service/app.slice/plantgate.service\n',
    service('systemctl --user restart plantgate'),
  ],
  [
    'the service of a computer with the first kind of control groups',
    '5:devices:/system.slice/plantgate.service\n1:name=systemd:/system.slice/plantgate.service\n',
    service('systemctl restart plantgate'),
  ],
  ['a session', '0::/user.slice/user-1000.slice/session-3.scope\n', OTHER],
  ['a window of a desktop', '0::/user.slice/user@1000.service/app.slice/vte-spawn-1.scope\n', OTHER],
  ['a container', '0::/\n', OTHER],
  ['a container of Docker, seen from outside', '0::/system.slice/docker-4711.scope\n', OTHER],
  ['a unit whose name a shell would change', '0::/system.slice/my\\x2dgate.service\n', OTHER],
  ['a computer without control groups', '', OTHER],
])('how %s is started again', (_, cgroup, restart) => {
  expect(howToRestart({ isTerminal: false, invocationId: '4f1c', cgroup })).toEqual(restart);
});

it('a terminal is said before the service to which it belongs', () => {
  const cgroup = '0::/user.slice/user-1000.slice/user@1000.service/tmux.service\n';
  expect(howToRestart({ isTerminal: true, invocationId: '4f1c', cgroup })).toEqual({ by: 'terminal', command: null });
});

it('a process that cron starts is not the service cron', () => {
  const cgroup = '0::/system.slice/cron.service\n';
  expect(howToRestart({ isTerminal: false, invocationId: undefined, cgroup })).toEqual(OTHER);
});
