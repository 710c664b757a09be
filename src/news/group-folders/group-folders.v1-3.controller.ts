import { Req } from '@nestjs/common';
import type { Request } from 'express';
import { z } from 'zod';
import { AdminGuard } from '../../common/auth/admin.guard.js';
import { Media } from '../../common/contracts/operation.decorator.js';
import { ApiPost, Delete, Get, Patch, Put } from '../../common/contracts/routes.js';
import { InTurn } from '../../common/http/answer-turns.js';
import { ConcurrencyLimit } from '../../common/http/concurrency-limit.decorator.js';
import { Input, type In } from '../../common/http/input.decorator.js';
import { orElse } from '../../common/http/loose-inputs.js';
import { shownSentence } from '../../common/texts/visitor-language.js';
import { NewsController, V1_3 } from '../http/levels.guard.js';
import { DONE_ONE, DoneOneAnswer, titleOrHost } from '../news.wire.js';
import { opmlIn } from '../opml/opml.controller.js';
import { boolean, integer, text, unlessAbsent } from '../parameters.js';
import { CurrentReader } from '../reader/delivery/current-reader.decorator.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { AccessInput } from '../sources/access/feed-access.input.js';
import { CurrentEditor } from './current-editor.decorator.js';
import { GroupFeedsService } from './group-feeds.service.js';
import type { GroupFeed } from './group-folders.repository.js';
import { GroupFoldersService, type Editor } from './group-folders.service.js';

const GroupFolderSchema = z
  .object({
    id: z.int(),
    groupId: z.string(),
    groupName: z.string(),
    name: z.string(),
    members: z.int(),
    editors: z.array(z.string()),
    feeds: z.array(
      z.object({
        id: z.int(),
        url: z.string(),
        title: z.string(),
        mandatory: z.boolean(),
        hasCredentials: z.boolean(),
        updateErrorCount: z.int(),
        lastUpdateError: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'GroupFolder' });

const GroupFoldersAnswer = z.object({ groupFolders: z.array(GroupFolderSchema) });

const GivenAnswer = z.object({
  feeds: z.array(
    z.object({
      feedId: z.int(),
      folderId: z.int().nullable(),
      title: z.string(),
      folderName: z.string().describe('The name of the folder in the group.'),
      groupName: z.string(),
      mandatory: z.boolean(),
      own: z.boolean().describe('Whether the caller follows it without the group as well.'),
      hidden: z.boolean(),
    }),
  ),
});

const ImportAnswer = z.object({
  added: z.int(),
  alreadyThere: z.int(),
  refused: z.array(z.object({ url: z.string(), reason: z.string() })),
});

const CreatedAnswer = z.object({ id: z.int() });

const GroupFolderPath = z.object({ groupFolderId: integer });
const GroupFeedPath = GroupFolderPath.extend({ groupFeedId: integer });
const CreateGroupFolder = z.object({ groupId: text, name: text });
const RenameGroupFolder = GroupFolderPath.extend({ name: text });
const SetEditors = GroupFolderPath.extend({
  editors: z.array(text, { error: 'must be a list of user ids' }).max(1000),
});
const AddGroupFeed = GroupFolderPath.extend({
  url: text,
  mandatory: orElse(boolean, false),
  access: unlessAbsent(AccessInput),
});
const ImportGroupFeeds = GroupFolderPath.extend({ mandatory: orElse(boolean, false) });
const EditGroupFeed = GroupFeedPath.extend({
  mandatory: unlessAbsent(boolean),
  access: unlessAbsent(AccessInput),
});

/** Folders of groups: for their editors, and what a member is given. Beyond the specification. */
@NewsController(V1_3, 'group-folders')
export class GroupFoldersV13Controller {
  constructor(
    private readonly folders: GroupFoldersService,
    private readonly feeds: GroupFeedsService,
  ) {}

  @InTurn()
  @Get('', 'Lists the folders of groups that the caller may change.', GroupFoldersAnswer)
  async list(@CurrentEditor() editor: Editor) {
    const folders = await this.folders.list(editor);
    return {
      groupFolders: folders.map(({ feeds, ...folder }) => ({
        ...folder,
        editors: [...folder.editors],
        feeds: feeds.map(toFeedJson),
      })),
    };
  }

  @InTurn()
  @Get('given', 'Lists the feeds that groups give to the caller.', GivenAnswer)
  async given(@CurrentReader() reader: Reader) {
    const feeds = await this.folders.givenTo(reader);
    return {
      feeds: feeds.map((feed) => ({
        feedId: feed.feedId,
        folderId: feed.folderId,
        title: feed.title,
        folderName: feed.folderName,
        groupName: feed.groupName,
        mandatory: feed.isMandatory,
        own: feed.isOwn,
        hidden: feed.isHidden,
      })),
    };
  }

  @Put(':groupFolderId', 'Renames the folder of a group.', DoneOneAnswer)
  async rename(
    @CurrentEditor() editor: Editor,
    @Input(RenameGroupFolder) { groupFolderId, name }: In<typeof RenameGroupFolder>,
  ) {
    await this.folders.rename(editor, groupFolderId, name);
    return DONE_ONE;
  }

  @ApiPost(':groupFolderId/feeds', 'Adds a feed to the folder of a group.', DoneOneAnswer)
  async addFeed(
    @CurrentEditor() editor: Editor,
    @Input(AddGroupFeed) { groupFolderId, url, mandatory, access = {} }: In<typeof AddGroupFeed>,
  ) {
    const feed = { url, isMandatory: mandatory, access };
    await this.feeds.add(editor, groupFolderId, feed);
    return DONE_ONE;
  }

  @ApiPost(
    ':groupFolderId/opml',
    'Adds the feeds of an OPML file to the folder of a group.',
    ImportAnswer,
    {
      body: new Media('multipart/form-data', 'A form with the OPML file; or the file as the body.'),
    },
  )
  @ConcurrencyLimit('imports')
  async import(
    @CurrentEditor() editor: Editor,
    @Input(ImportGroupFeeds) { groupFolderId, mandatory }: In<typeof ImportGroupFeeds>,
    @Req() request: Request,
  ) {
    await this.folders.find(editor, groupFolderId);
    const file = await opmlIn(request);
    const { refused, ...done } = await this.feeds.import(editor, groupFolderId, file, mandatory);
    return {
      ...done,
      refused: refused.map(({ url, reason }) => ({ url, reason: shownSentence(reason) })),
    };
  }

  @Patch(':groupFolderId/feeds/:groupFeedId', 'Changes a feed of a group.', DoneOneAnswer)
  async editFeed(
    @CurrentEditor() editor: Editor,
    @Input(EditGroupFeed)
    { groupFolderId, groupFeedId, mandatory, access }: In<typeof EditGroupFeed>,
  ) {
    await this.feeds.edit(editor, groupFolderId, groupFeedId, {
      isMandatory: mandatory,
      access,
    });
    return DONE_ONE;
  }

  @Delete(
    ':groupFolderId/feeds/:groupFeedId',
    'Removes a feed from the folder of a group.',
    DoneOneAnswer,
  )
  async removeFeed(
    @CurrentEditor() editor: Editor,
    @Input(GroupFeedPath) { groupFolderId, groupFeedId }: In<typeof GroupFeedPath>,
  ) {
    await this.feeds.remove(editor, groupFolderId, groupFeedId);
    return DONE_ONE;
  }
}

/** What only administrators do with folders of groups. Beyond the specification. */
@NewsController(V1_3, 'admin/group-folders', AdminGuard)
export class GroupFoldersAdministrationV13Controller {
  constructor(private readonly folders: GroupFoldersService) {}

  @ApiPost('', 'Creates a folder for a group.', CreatedAnswer)
  async create(@Input(CreateGroupFolder) { groupId, name }: In<typeof CreateGroupFolder>) {
    return { id: await this.folders.create(groupId, name) };
  }

  @Put(':groupFolderId/editors', 'Names the editors of the folder of a group.', DoneOneAnswer)
  async setEditors(
    @CurrentEditor() editor: Editor,
    @Input(SetEditors) { groupFolderId, editors }: In<typeof SetEditors>,
  ) {
    await this.folders.setEditors(editor, groupFolderId, editors);
    return DONE_ONE;
  }

  @Delete(':groupFolderId', 'Removes the folder of a group.', DoneOneAnswer)
  async remove(
    @CurrentEditor() editor: Editor,
    @Input(GroupFolderPath) { groupFolderId }: In<typeof GroupFolderPath>,
  ) {
    await this.folders.remove(editor, groupFolderId);
    return DONE_ONE;
  }
}

/** Nothing of the credentials but whether there are any. */
function toFeedJson(feed: GroupFeed) {
  return {
    id: feed.id,
    url: feed.url,
    title: titleOrHost(feed.title, feed.url),
    mandatory: feed.isMandatory,
    hasCredentials: feed.access !== null,
    updateErrorCount: feed.errorCount,
    lastUpdateError: shownSentence(feed.lastError),
  };
}
