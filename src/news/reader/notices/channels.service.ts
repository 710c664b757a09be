import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { Config } from '../../../common/config/config.js';
import { assertBelowLimit } from '../../../common/errors/limit-reached.js';
import { Allowances } from '../../../common/ports/allowances.js';
import { textIn } from '../../../common/texts/translations.js';
import { HOUR_SECONDS } from '../../../common/units.js';
import { checkedName } from '../../news.errors.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { ReadersRepository } from '../delivery/readers.repository.js';
import { ChannelBox } from './channel-box.service.js';
import { ChannelSending } from './channel-sending.service.js';
import { ChannelTargets } from './channel-targets.service.js';
import { ChannelsRepository, type Channel } from './channels.repository.js';
import type { ChannelAddress } from './notice-channel.js';
import { messageId } from './notice-message.js';
import type { ChannelKind, WebhookForm } from './notice.entities.js';
import {
  ChannelNotFound,
  InvalidChannel,
  InvalidChannelName,
  TooManyTrials,
} from './notices.errors.js';
import { NoticesSettings } from './notices.settings.js';

/** A channel as a user enters it; what is undefined is as before, or at first empty. */
export interface GivenChannel {
  readonly kind?: ChannelKind | undefined;
  readonly form?: WebhookForm | undefined;
  readonly name?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly privateFeeds?: boolean | undefined;
  readonly address?: string | undefined;
  readonly secret?: string | undefined;
  readonly recipient?: string | undefined;
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly subscription?:
    | {
        readonly endpoint: string;
        readonly keys: { readonly p256dh: string; readonly auth: string };
      }
    | undefined;
  readonly appId?: string | undefined;
}

/** `secret`: what was made for the receiver to verify messages with, shown only now; or null. */
interface SavedChannel {
  readonly channel: Channel;
  readonly secret: string | null;
}

export const MOST_NAME_CHARACTERS = 100;

/** Of all channels of a user: each sends a request or a mail. */
export const TRIALS = { kind: 'notice trials', most: 30, periodSeconds: HOUR_SECONDS };

/** The channels of a user. */
@Injectable()
export class ChannelsService {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly channels: ChannelsRepository,
    private readonly targets: ChannelTargets,
    private readonly sending: ChannelSending,
    private readonly box: ChannelBox,
    private readonly config: Config,
    private readonly allowances: Allowances,
    private readonly settings: NoticesSettings,
  ) {}

  /** With what channels can be made of, and why some cannot. */
  async list({ id, userId }: Reader) {
    const { sendTemplates: templates } = this.settings;
    const offered = await this.targets.offered(userId);
    return { channels: await this.channels.list(id), templates, ...offered };
  }

  /** Channels of all users that fail or were switched off, those that fail longest first. */
  async failing() {
    return this.channels.failing();
  }

  /** Adds a channel, or replaces the one that leads to the same place. @throws InvalidChannel */
  async add(reader: Reader, given: GivenChannel): Promise<SavedChannel> {
    return this.#save(reader, null, given);
  }

  /**
   * Changes a channel. It counts as working again.
   *
   * @throws ChannelNotFound
   * @throws InvalidChannel
   */
  async change(reader: Reader, id: number, given: GivenChannel): Promise<SavedChannel> {
    const present = ChannelNotFound.unless(await this.channels.find(reader.id, id), id);
    return this.#save(reader, present, given);
  }

  /** @throws ChannelNotFound */
  async remove(reader: Reader, id: number): Promise<void> {
    await this.readers.change(reader, async (tx, { id: readerId }) => {
      ChannelNotFound.unless(await this.channels.remove(readerId, id, null, tx), id);
    });
  }

  /**
   * Sends a message for trial, now.
   *
   * @returns the error, a sentence; null if it was sent
   * @throws ChannelNotFound
   * @throws TooManyTrials
   */
  async test({ id: readerId, userId }: Reader, id: number): Promise<string | null> {
    const found = ChannelNotFound.unless(await this.channels.find(readerId, id), id);
    const user = await this.sending.withUser(readerId, userId, found);
    const channel = ChannelNotFound.unless(user, id);
    const { granted, waitSeconds } = await this.allowances.take(userId, TRIALS);
    if (granted === 0) {
      throw new TooManyTrials(waitSeconds);
    }
    const body = textIn(channel.language, 'notices', 'test');
    const own = messageId('test', randomBytes(16).toString('hex'));
    const sent = await this.sending.sendOwn(channel, 'notice.test', own, 'Gatefold', body);
    return sent.result === 'sent' ? null : sent.error;
  }

  /** The present address; without its secrets if the new one is on another server. */
  #before(present: Channel | null, newUrl: string | undefined): ChannelAddress {
    const before = present === null ? this.box.nowhere : this.box.open(present);
    const isElsewhere = newUrl !== undefined && originOf(newUrl) !== originOf(before.url);
    return isElsewhere
      ? { ...before, secret: '', recipient: '', clientId: '', clientSecret: '' }
      : before;
  }

  async #save(reader: Reader, present: Channel | null, given: GivenChannel): Promise<SavedChannel> {
    const kind = present?.kind ?? given.kind ?? 'webhook';
    const form = kind === 'webhook' ? (given.form ?? present?.form ?? 'standard') : null;
    const { secret: ofUser, recipient, clientId, clientSecret, appId, subscription } = given;
    const url = subscription?.endpoint ?? given.address;
    const names = { recipient, clientId, clientSecret, appId };
    const entered = { url, secret: ofUser, ...names, ...subscription?.keys };
    const changes = Object.entries(entered).filter(([, value]) => value !== undefined);
    const before = this.#before(present, url);
    const whole = { ...before, ...Object.fromEntries(changes) };
    const { address, target, secret } = await this.targets.check(kind, form, reader.userId, whole);
    const name = given.name ?? present?.name ?? target;
    const channel = {
      kind,
      form,
      name: checkedName(name, MOST_NAME_CHARACTERS, InvalidChannelName),
      enabled: given.enabled ?? present?.enabled ?? true,
      privateFeeds: given.privateFeeds ?? present?.privateFeeds ?? false,
      target,
      targetKey: this.box.keyOf(kind, address),
      sealed: this.box.seal(address),
    };
    return this.readers.change(reader, async (tx, reader) => {
      const all = await this.channels.list(reader.id, tx);
      const same = all.find(({ targetKey }) => targetKey.equals(channel.targetKey));
      if (present !== null && same !== undefined && same.id !== present.id) {
        throw new InvalidChannel('is there already');
      }
      if (present === null && same === undefined) {
        assertBelowLimit(this.config, 'notice-channels-per-user', all.length);
      }
      const id = await this.channels.save(reader, present?.id ?? null, channel, tx);
      const saved = await this.channels.find(reader.id, id, tx);
      return { channel: ChannelNotFound.unless(saved, present?.id ?? id), secret };
    });
  }
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : '';
}
