import { defineEntity, p } from '@mikro-orm/core';

const ChatMessageSchema = defineEntity({
  name: 'ChatMessageEntity',
  tableName: 'chat_message',
  properties: {
    id: p.bigint('number').primary().autoincrement().generated('identity'),
    conversationId: p.bigint('number'),
    actorType: p.text(),
    actorId: p.text(),
    actorDisplayName: p.text(),
    kind: p.text(),
    systemMessage: p.text().default(''),
    message: p.text(),
    parameters: p.json().$type<unknown>().defaultRaw("'{}'::jsonb"),
    referenceId: p.text().default(''),
    parentId: p.bigint('number').strictNullable(),
    silent: p.boolean().default(false),
    createdAt: p.datetime().defaultRaw('clock_timestamp()'),
    editedAt: p.datetime().strictNullable(),
    editorType: p.text().strictNullable(),
    editorId: p.text().strictNullable(),
    editorDisplayName: p.text().strictNullable(),
  },
});

export class ChatMessageEntity extends ChatMessageSchema.class {}

ChatMessageSchema.setClass(ChatMessageEntity);
