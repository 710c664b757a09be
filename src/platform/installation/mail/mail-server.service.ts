import { Injectable } from '@nestjs/common';
import escapeHtml from 'escape-html';
import ipaddr from 'ipaddr.js';
import type { Transporter } from 'nodemailer';
import { MailSettings } from './mail.settings.js';

const ADDRESS = /^https?:\/\/[!-~]+$/;

const CONNECT_MS = 10_000;
/** Servers that check for spam take their time before they answer. */
const ANSWER_MS = 45_000;

export interface MailMessage {
  /** Address of one recipient. */
  readonly to: string;
  readonly subject: string;
  /** Plain text in paragraphs; a line that is a web address alone becomes a link. */
  readonly text: string;
  /** Account of the recipient: a mail that waits is dropped with the account. */
  readonly userId?: string | undefined;
  /** The same for each attempt; default: another one each time. */
  readonly id?: string | undefined;
  /** Ends further mails of the kind when it is posted to (RFC 8058). */
  readonly unsubscribeUrl?: string | undefined;
}

/** The server permanently refused the mail: another attempt would fail in the same way. */
export class MailRefused extends Error {}

/** The configured mail server; wraps `nodemailer`. A connection for each mail. */
@Injectable()
export class MailServer {
  #transport: Promise<Transporter> | undefined;

  constructor(private readonly settings: MailSettings) {}

  get isConfigured(): boolean {
    return this.settings.server !== undefined;
  }

  /** The address of the sender, without a name; null when none is configured. */
  get sender(): string | null {
    return /[^\s<>@]+@[^\s<>@]+/.exec(this.settings.server?.from ?? '')?.[0] ?? null;
  }

  /** Host and port, for operators. */
  get name(): string {
    const { host = '', port = 0 } = this.settings.server ?? {};
    return `${host}:${port}`;
  }

  /**
   * Hands a mail over.
   *
   * @returns the answer of the server
   * @throws MailRefused when the server will never take it
   * @throws Error when it cannot be reached, or asks to try later
   */
  async deliver(message: MailMessage, signal?: AbortSignal): Promise<string> {
    const { to, subject, text, id, unsubscribeUrl } = message;
    const transport = await this.#required();
    try {
      const { response } = (await transport.sendMail({
        from: this.settings.server?.from,
        to: { name: '', address: to },
        subject,
        text,
        html: mailHtml(text),
        ...(id && { messageId: `<${id}@${domainOf(this.settings.server?.from)}>` }),
        headers: {
          'Auto-Submitted': 'auto-generated',
          ...(unsubscribeUrl && {
            'List-Unsubscribe': `<${unsubscribeUrl}>`,
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
        },
        disableFileAccess: true,
        disableUrlAccess: true,
        ...(signal && { signal }),
      })) as { response: string };
      return response;
    } catch (error) {
      throw isFinal(error) ? new MailRefused(reasonOf(error), { cause: error }) : error;
    }
  }

  /**
   * Connects and logs in.
   *
   * @throws Error with the answer of the server
   */
  async greet(): Promise<void> {
    await (await this.#required()).verify();
  }

  /** Loads the package at its first use. */
  async #required(): Promise<Transporter> {
    const { server } = this.settings;
    if (server === undefined) {
      throw new Error('No mail server is configured: GATEFOLD_SMTP_URL is not set.');
    }
    this.#transport ??= import('nodemailer').then((nodemailer) =>
      nodemailer.createTransport(optionsOf(server)),
    );
    return this.#transport;
  }
}

function optionsOf({ host, port, usesTls, login }: NonNullable<MailSettings['server']>) {
  const isLocal = isLoopback(host);
  return {
    host,
    port,
    secure: usesTls,
    // Local traffic is not exposed, and certificates of local servers are mostly for another name.
    ignoreTLS: isLocal,
    // A password is never sent in the clear.
    requireTLS: !usesTls && !isLocal && login !== undefined,
    ...(login && { auth: { user: login.user, pass: login.password } }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: ANSWER_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** Of the address in `Gatefold <gatefold@example.org>`. */
function domainOf(sender = ''): string {
  return /@([^\s<>@]+)/.exec(sender)?.[1] ?? 'localhost';
}

function isLoopback(host: string): boolean {
  return (
    host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback')
  );
}

/** Status 5xx for the sender, the recipient or the contents. A refused login may be a new password. */
function isFinal(error: unknown): boolean {
  const { code, responseCode = 0 } = error as { code?: string; responseCode?: number };
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode >= 500;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Formats the text as a document: its paragraphs, with links for lines that are addresses. */
export function mailHtml(text: string): string {
  const paragraphs = text.trim().split(/\n{2,}/);
  const body = paragraphs.map(
    (lines) => `<p dir="auto">${lines.split('\n').map(toHtml).join('<br>')}</p>`,
  );
  return `<!doctype html><html><body>${body.join('\n')}</body></html>`;
}

function toHtml(line: string): string {
  const escaped = escapeHtml(line);
  return ADDRESS.test(line) ? `<a href="${escaped}">${escaped}</a>` : escaped;
}
