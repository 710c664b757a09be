import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { AccountNotFound, InvalidPicture } from '../../platform.errors.js';
import { isUserId } from '../users/user-id.js';
import { UsersRepository } from '../users/users.repository.js';
import { AvatarsRepository } from './avatars.repository.js';
import { letterAvatar, letterAvatarPng } from './letter-avatar.js';
import { pictureTypeOf } from './picture-type.js';

export const LARGEST_PICTURE_BYTES = 5 * 1024 * 1024;

export interface AvatarRequest {
  readonly userId: string;
  readonly sizePixels: number;
  readonly dark: boolean;
  /** Whether `Accept` names SVG; otherwise PNG. */
  readonly takesSvg: boolean;
  /** Digests of the pictures in the client's cache. */
  readonly knownDigests: readonly string[];
}

interface Avatar {
  readonly mediaType: string;
  /** Identifies the picture. */
  readonly digest: string;
  /** Null if `digest` is a known one. */
  readonly bytes: Buffer | null;
  /** Whether the user uploaded it. */
  readonly chosen: boolean;
}

/** Avatars of users. */
@Injectable()
export class AvatarsService {
  constructor(
    private readonly avatars: AvatarsRepository,
    private readonly users: UsersRepository,
  ) {}

  /**
   * The uploaded picture, unchanged and in its original size; otherwise initials.
   *
   * @throws AccountNotFound
   */
  async show(request: AvatarRequest): Promise<Avatar> {
    const { userId, knownDigests } = request;
    const stored = await this.avatars.find(userId, knownDigests);
    if (stored !== null) {
      return { ...stored, chosen: true };
    }
    const account = isUserId(userId) ? await this.users.find(userId) : null;
    if (account === null) {
      throw new AccountNotFound(userId);
    }
    const wanted = { ...request, displayName: account.displayName };
    const drawn = request.takesSvg ? Buffer.from(letterAvatar(wanted)) : letterAvatarPng(wanted);
    const digest = digestOf(drawn);
    return {
      mediaType: request.takesSvg ? 'image/svg+xml' : 'image/png',
      digest,
      bytes: knownDigests.includes(digest) ? null : drawn,
      chosen: false,
    };
  }

  /** @throws InvalidPicture */
  async choose(userId: string, bytes: Buffer): Promise<void> {
    const mediaType = pictureTypeOf(bytes);
    if (mediaType === null || bytes.length > LARGEST_PICTURE_BYTES) {
      throw new InvalidPicture();
    }
    await this.avatars.put(userId, mediaType, digestOf(bytes), bytes);
  }

  async forget(userId: string): Promise<void> {
    await this.avatars.remove(userId);
  }
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
