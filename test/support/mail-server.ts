import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { SERVER } from './private-authority.js';
import { found } from './until.js';

/** A mail as its recipient gets it. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** By names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
}

/** A local mail server that keeps what it gets. */
export interface TestMailServer {
  /** Value of `GATEFOLD_SMTP_URL`. */
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** Refusals of the next recipients, in their order: status and text. */
  readonly refusals: [status: number, text: string][];
  /** Attempts at recipients that were refused. */
  readonly refused: string[];
  /** Resolves with the newest mail to the address that is not among the first `known` ones. */
  mailTo(address: string, known?: number): Promise<ReceivedMail>;
  stop(): Promise<void>;
}

const NO_CERTIFICATE = ['STARTTLS'];

/**
 * @param login user and password that it demands
 * @param secure TLS with a certificate of the private authority of tests
 */
export async function startMailServer(
  login?: { readonly user: string; readonly password: string },
  secure = false,
): Promise<TestMailServer> {
  const mails: ReceivedMail[] = [];
  const refusals: [number, string][] = [];
  const refused: string[] = [];
  const options: SMTPServerOptions = {
    ...(secure && { secure, ...SERVER }),
    authOptional: login === undefined,
    disabledCommands: login === undefined ? ['AUTH', ...NO_CERTIFICATE] : NO_CERTIFICATE,
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      const isRight = username === login?.user && password === login?.password;
      done(isRight ? null : new Error('wrong password'), isRight ? { user: username } : undefined);
    },
    onRcptTo({ address }, _session, done) {
      const refusal = refusals.shift();
      if (refusal === undefined) {
        done();
        return;
      }
      refused.push(address);
      done(Object.assign(new Error(refusal[1]), { responseCode: refusal[0] }));
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        mails.push({
          from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          ...readMessage(Buffer.concat(chunks).toString('utf8')),
        });
        done();
      });
    },
  };
  const server = new SMTPServer(options);
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const user = login && `${encodeURIComponent(login.user)}:${encodeURIComponent(login.password)}@`;
  return {
    url: `${secure ? 'smtps' : 'smtp'}://${user ?? ''}127.0.0.1:${port}`,
    mails,
    refusals,
    refused,
    mailTo: (address, known = 0) =>
      found(`mail ${known + 1} to ${address}`, () =>
        mails
          .filter(({ to }) => to.includes(address))
          .slice(known)
          .at(-1),
      ),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Reads a message with alternatives of text and HTML. */
function readMessage(source: string): Omit<ReceivedMail, 'from' | 'to'> {
  const { headers, body } = readPart(source);
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1] ?? '';
  const parts = body.split(`--${boundary}`).map((part) => readPart(part.replace(/^\r\n/, '')));
  const ofType = (type: string) =>
    decoded(parts.find(({ headers: its }) => its.get('content-type')?.startsWith(type)));
  return {
    subject: decodedWords(headers.get('subject') ?? ''),
    text: ofType('text/plain').replaceAll('\r\n', '\n'),
    html: ofType('text/html').replaceAll('\r\n', '\n'),
    headers,
  };
}

interface Part {
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

function readPart(source: string): Part {
  const [head = '', ...rest] = source.split('\r\n\r\n');
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  const headers = new Map(
    lines.map((line): [string, string] => {
      const [name = '', ...value] = line.split(':');
      return [name.toLowerCase(), value.join(':').trim()];
    }),
  );
  return { headers, body: rest.join('\r\n\r\n') };
}

function decoded(part: Part | undefined): string {
  const { headers, body = '' } = part ?? {};
  switch (headers?.get('content-transfer-encoding')) {
    case 'base64':
      return Buffer.from(body, 'base64').toString('utf8');
    case 'quoted-printable':
      return fromQuotedPrintable(body.replaceAll('=\r\n', ''));
    default:
      return body;
  }
}

function fromQuotedPrintable(words: string): string {
  const percent = words.replaceAll('%', '%25').replace(/=([0-9A-F]{2})/g, '%$1');
  return decodeURIComponent(percent);
}

/** Words of a header that are not ASCII. */
function decodedWords(header: string): string {
  const joined = header.replace(/\?=\s+=\?/g, '?==?');
  return joined.replace(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_all, kind: string, words: string) =>
    kind.toUpperCase() === 'B'
      ? Buffer.from(words, 'base64').toString('utf8')
      : fromQuotedPrintable(words.replaceAll('_', ' ')),
  );
}
