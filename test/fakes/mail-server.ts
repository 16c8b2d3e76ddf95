import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** How a mail server behaves. */
export type MailManner =
  | 'works'
  | 'saysNothing'
  | 'refusesLogin'
  | 'isBusy'
  | 'refusesRecipient'
  | 'refusesContent'
  | 'dropsAfterData'
  | 'hangsAfterData';

/** A mail server that takes mails over plain SMTP, and behaves as badly as a test wants. */
export class MailServer {
  manner: MailManner = 'works';
  /** The mails that it took, as they came. */
  readonly mails: string[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #server: Server = createServer((socket) => this.#serve(socket));

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
    if (this.manner === 'saysNothing') return;
    socket.write('220 fake ESMTP\r\n');
    let mail: string[] | null = null;
    createInterface({ input: socket }).on('line', (line) => {
      if (mail === null) {
        const isGranted = this.#answer(socket, line);
        mail = line === 'DATA' && isGranted ? [] : null;
        return;
      }
      if (line !== '.') {
        mail.push(line);
        return;
      }
      this.#take(socket, mail.join('\n'));
      mail = null;
    });
  }

  /** Whether the command was granted. */
  #answer(socket: Socket, line: string): boolean {
    const [verb = ''] = line.split(' ');
    const isRefused = {
      AUTH: this.manner === 'refusesLogin' && '535 5.7.8 Authentication failed',
      MAIL: this.manner === 'isBusy' && '451 4.3.0 Try again later',
      RCPT: this.manner === 'refusesRecipient' && '550 5.1.1 No such user',
    }[verb];
    const granted = { EHLO: '250-fake\r\n250 AUTH PLAIN', AUTH: '235 ok', DATA: '354 go on', QUIT: '221 bye' }[verb];
    const answer = isRefused || (granted ?? '250 ok');
    socket.write(`${answer}\r\n`);
    return answer === granted;
  }

  #take(socket: Socket, mail: string): void {
    if (this.manner === 'refusesContent') socket.write('554 5.7.1 Looks like spam\r\n');
    else if (this.manner === 'dropsAfterData') socket.destroy();
    else if (this.manner === 'works') {
      this.mails.push(mail);
      socket.write('250 taken\r\n');
    }
  }
}
