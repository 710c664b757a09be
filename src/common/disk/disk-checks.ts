import { Injectable } from '@nestjs/common';
import { stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { Config } from '../config/config.js';
import { InstallationChecks, type CheckFinding } from '../ports/installation-checks.js';
import { sizeText } from '../size-text.js';
import { DiskSpace } from './disk-space.js';

const MEBIBYTE = 1024 * 1024;

/** See `DiskSpace`. */
const LARGEST_RESERVE_SHARE = 0.05;

const FEW_FILES_SHARE = 0.05;

const WRITABLE_BY_OTHERS = 0o022;
/** Of all users of the machine; a group may be that of the operators. */
const LISTABLE_BY_OTHERS = 0o004;
const READABLE_BY_OTHERS = 0o077;

/** Examines the disks of the data folder, for `gatefold doctor`. */
@Injectable()
export class DiskChecks {
  constructor(checks: InstallationChecks, config: Config, disk: DiskSpace) {
    checks.add('Disk', () => examineDisks(config, disk.folders));
  }
}

/** Works without a database. @param folders with data */
export async function examineDisks(
  config: Config,
  folders: Iterable<string>,
): Promise<CheckFinding[]> {
  const findings: CheckFinding[] = [];
  const seen = new Set<number>();
  for (const folder of folders) {
    const found = await stat(folder).catch(() => null);
    if (found === null) {
      findings.push(missing(folder));
    } else if (!seen.has(found.dev)) {
      seen.add(found.dev);
      findings.push(...(await examineDisk(folder, config.diskReserveMib * MEBIBYTE)));
    }
  }
  return [...findings, ...(await examineRights(config))];
}

function missing(folder: string): CheckFinding {
  return {
    state: 'warning',
    text: `The folder ${folder} does not exist.`,
    advice: 'The first start creates it; on an installation in use, mount or restore it.',
  };
}

async function examineDisk(folder: string, wantedReserveBytes: number): Promise<CheckFinding[]> {
  const { bavail, blocks, bsize, ffree, files } = await statfs(folder);
  const freeBytes = bavail * bsize;
  const reserveBytes = Math.min(wantedReserveBytes, blocks * bsize * LARGEST_RESERVE_SHARE);
  const text = `The disk of ${folder} has ${sizeText(freeBytes)} of ${sizeText(blocks * bsize)} free; ${sizeText(reserveBytes)} are reserved.`;
  const advice = 'Remove files, or enlarge the disk.';
  return [
    freeBytes < reserveBytes
      ? { state: 'error', text: `${text} Uploads are refused, and feeds are not fetched.`, advice }
      : freeBytes < 2 * reserveBytes
        ? { state: 'warning', text, advice }
        : { state: 'ok', text },
    // Some file systems have no fixed number of files, and report none.
    ...(files > 0 && ffree < files * FEW_FILES_SHARE
      ? [
          {
            state: ffree === 0 ? ('error' as const) : ('warning' as const),
            text: `${ffree} more files fit on the disk of ${folder}.`,
            advice: 'Remove small files, or use a file system with more inodes.',
          },
        ]
      : []),
  ];
}

async function examineRights({ dataDir, secretKey }: Config): Promise<CheckFinding[]> {
  const folder = await stat(dataDir).catch(() => null);
  if (folder === null) {
    return [];
  }
  const keyFile = path.join(dataDir, 'secret.key');
  const key = secretKey === undefined ? await stat(keyFile).catch(() => null) : null;
  return [
    ...((folder.mode & WRITABLE_BY_OTHERS) === 0
      ? []
      : [
          {
            state: 'warning' as const,
            text: `Other users of this machine can write to ${dataDir}.`,
            advice: `Run "chmod go-rw ${dataDir}".`,
          },
        ]),
    ...((folder.mode & LISTABLE_BY_OTHERS) === 0
      ? []
      : [
          {
            state: 'warning' as const,
            text: `Other users of this machine can read ${dataDir}.`,
            advice: `Run "chmod go-rw ${dataDir}".`,
          },
        ]),
    ...(key === null || (key.mode & READABLE_BY_OTHERS) === 0
      ? []
      : [
          {
            state: 'error' as const,
            text: `Other users of this machine can read ${keyFile}.`,
            advice: `Run "chmod 600 ${keyFile}".`,
          },
        ]),
  ];
}
