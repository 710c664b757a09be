import { Injectable } from '@nestjs/common';
import { PublicAddress } from '../../../common/config/public-address.js';
import { parseInput } from '../../../common/http/input.decorator.js';
import { AdministrationLog } from '../../../common/ports/administration-log.js';
import { isGroupWord, GroupsService } from '../../accounts/groups/groups.service.js';
import { isAdminGroup } from '../../accounts/users/account-rights.js';
import { InvalidGroup } from '../../platform.errors.js';
import { patched, type PatchInput } from './scim-patch.js';
import { GroupInput, toGroupResource } from './scim-resources.js';
import { NoScimResource, NotUnique } from './scim.errors.js';
import {
  ScimRepository,
  type GroupOutcome,
  type ScimPage,
  type ScimGroupRow,
} from './scim.repository.js';

type GroupResource = ReturnType<typeof toGroupResource>;

const NAMES = ['displayName', 'externalId', 'members'];

/** Groups that a provisioning service manages. The administrators' group is none of them. */
@Injectable()
export class ScimGroupsService {
  constructor(
    private readonly scim: ScimRepository,
    private readonly groups: GroupsService,
    private readonly log: AdministrationLog,
    private readonly address: PublicAddress,
  ) {}

  /** @param withMembers false leaves them out, which can be many */
  async list(page: ScimPage, withMembers: boolean) {
    const { total, rows } = await this.scim.groups(page);
    const members = withMembers ? await this.scim.membersOf(rows) : new Map();
    const root = this.address.of('/scim/v2');
    return {
      total,
      resources: rows.map((row) => toGroupResource(row, members.get(row.id) ?? [], root)),
    };
  }

  async show(id: string): Promise<GroupResource> {
    const row = await this.#row(id);
    const members = await this.scim.membersOf([row]);
    return toGroupResource(row, members.get(id) ?? [], this.address.of('/scim/v2'));
  }

  /** @throws InvalidGroup, NotUnique, InvalidScim */
  async create(input: GroupInput): Promise<GroupResource> {
    const { displayName, externalId = null } = input;
    InvalidGroup.unless(isGroupWord(displayName));
    const taken = new NotUnique(`There is already a group "${displayName}".`);
    if (isAdminGroup(displayName)) {
      throw taken;
    }
    await this.scim.assertUsers(membersIn(input) ?? []);
    const id = await this.scim.addGroup({ groupId: displayName, displayName, externalId });
    if (id === null) {
      throw taken;
    }
    await this.log.record({ kind: 'group_created', subject: { kind: 'group', id: displayName } });
    return this.replace(id, input);
  }

  /** Omitted members stay. */
  async replace(id: string, input: GroupInput): Promise<GroupResource> {
    return this.#change(id, () => input);
  }

  /** @throws as `replace` */
  async patch(id: string, operations: PatchInput): Promise<GroupResource> {
    const root = this.address.of('/scim/v2');
    return this.#change(id, (row, memberIds) => {
      const members = memberIds.map((value) => ({ value }));
      const before = { ...toGroupResource(row, [], root), members };
      const after = patched(before, operations, NAMES) as Record<string, unknown>;
      return parseInput(GroupInput, { ...after, members: after['members'] ?? [] });
    });
  }

  /** The members' accounts remain. */
  async remove(id: string): Promise<void> {
    const { groupId } = await this.#row(id);
    await this.groups.remove(groupId);
  }

  async #change(
    id: string,
    change: (row: ScimGroupRow, memberIds: readonly string[]) => GroupInput,
  ): Promise<GroupResource> {
    const outcome = await this.scim.changeGroup(id, (row, memberIds) => {
      const { displayName, externalId = null, ...input } = change(row, memberIds);
      if (!isGroupWord(displayName) || isAdminGroup(displayName)) {
        throw new InvalidGroup();
      }
      return { externalId, displayName, memberIds: membersIn(input) };
    });
    if (outcome === null) {
      throw new NoScimResource('Group', id);
    }
    await this.#record(outcome);
    return this.show(id);
  }

  async #record({ groupId, renamedTo, joined, left }: GroupOutcome): Promise<void> {
    const subject = { kind: 'group', id: groupId } as const;
    if (renamedTo !== undefined) {
      await this.log.record({ kind: 'group_changed', subject, details: `name: ${renamedTo}` });
    }
    for (const userId of joined) {
      await this.log.record({ kind: 'group_joined', subject, userId });
    }
    for (const userId of left) {
      await this.log.record({ kind: 'group_left', subject, userId });
    }
  }

  async #row(id: string): Promise<ScimGroupRow> {
    const row = await this.scim.group(id);
    if (row === null) {
      throw new NoScimResource('Group', id);
    }
    return row;
  }
}

function membersIn({ members }: Pick<GroupInput, 'members'>): readonly string[] | undefined {
  return members === undefined || members === null
    ? undefined
    : [...new Set(members.map(({ value }) => value))];
}
