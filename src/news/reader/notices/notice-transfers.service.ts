import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { DomainError } from '../../../common/errors/domain-error.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { ChannelBox } from './channel-box.service.js';
import { ChannelsRepository } from './channels.repository.js';
import { ChannelsService } from './channels.service.js';
import { SaveSettings } from './given-settings.js';
import type { ChannelAddress } from './notice-channel.js';
import {
  CHANNEL_KINDS,
  WEBHOOK_FORMS,
  type ChannelKind,
  type WebhookForm,
} from './notice.entities.js';
import { DEFAULT_SETTINGS } from './notices.repository.js';
import { NoticesService } from './notices.service.js';

/** A channel in a file. `id` is that by which rules of the file name it. */
interface PortableChannel {
  readonly id: number;
  readonly kind: ChannelKind;
  readonly form: WebhookForm | null;
  readonly name: string;
  readonly enabled: boolean;
  readonly privateFeeds: boolean;
  /** What is shown of where it leads. */
  readonly target: string;
  /** Where it leads, with its secrets; absent unless these were asked for. */
  readonly address?: ChannelAddress;
}

const Portable = z.object({
  settings: SaveSettings.optional().catch(undefined),
  channels: z.array(
    z.object({
      id: z.int(),
      kind: z.enum(CHANNEL_KINDS),
      form: z.enum(WEBHOOK_FORMS).nullable(),
      name: z.string(),
      enabled: z.boolean(),
      privateFeeds: z.boolean(),
      target: z.string(),
      address: z
        .object({
          url: z.string(),
          secret: z.string(),
          recipient: z.string(),
          clientId: z.string().default(''),
          clientSecret: z.string().default(''),
          p256dh: z.string(),
          auth: z.string(),
          appId: z.string(),
        })
        .optional(),
    }),
  ),
});

/** Channels and settings of notices to files, and back. */
@Injectable()
export class NoticeTransfers {
  constructor(
    private readonly channels: ChannelsRepository,
    private readonly box: ChannelBox,
    private readonly notices: NoticesService,
    private readonly service: ChannelsService,
  ) {}

  async export(reader: Reader, withSecrets: boolean) {
    const channels = await this.channels.list(reader.id);
    return {
      settings: await this.notices.settings(reader),
      channels: channels.map(
        ({ id, kind, form, name, enabled, privateFeeds, target, sealed }): PortableChannel => ({
          id,
          kind,
          form,
          name,
          enabled,
          privateFeeds,
          target,
          ...(withSecrets && { address: this.box.open({ sealed }) }),
        }),
      ),
    };
  }

  /**
   * Adds channels whose addresses are in the file, and takes the settings unless there are some. Push channels are of one browser and one service.
   *
   * @returns ids here by those in the file
   */
  async import(
    reader: Reader,
    file: unknown,
    leaveOut: (what: string, reason: string) => void,
  ): Promise<ReadonlyMap<number, number>> {
    const ids = new Map<number, number>();
    const { channels = [], settings } = Portable.safeParse(file).data ?? {};
    const present = await this.notices.settings(reader);
    if (settings !== undefined && isDeepStrictEqual(present, DEFAULT_SETTINGS)) {
      await this.notices.changeSettings(reader, settings);
    }
    for (const { id, target: _target, address, form, ...given } of channels) {
      if (address === undefined || given.kind === 'push') {
        leaveOut(`notice channel "${given.name}"`, 'The file does not say where it leads.');
        continue;
      }
      const { url, secret, recipient, clientId, clientSecret, appId } = address;
      const filled = { address: url, secret, recipient, clientId, clientSecret, appId };
      const known = Object.entries(filled).filter(([, value]) => value !== '');
      try {
        const { channel } = await this.service.add(reader, {
          ...given,
          ...(form !== null && { form }),
          ...Object.fromEntries(known),
        });
        ids.set(id, channel.id);
      } catch (error) {
        if (!(error instanceof DomainError)) {
          throw error;
        }
        leaveOut(`notice channel "${given.name}"`, error.message);
      }
    }
    return ids;
  }
}
