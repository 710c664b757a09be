import {
  applyDecorators,
  Delete as NestDelete,
  Get as NestGet,
  HttpCode,
  Options as NestOptions,
  Patch as NestPatch,
  Post as NestPost,
  Put as NestPut,
} from '@nestjs/common';
import type { z } from 'zod';
import {
  Operation,
  type AnswerBody,
  type Answered,
  type OperationNotes,
} from './operation.decorator.js';

type Path = string | string[];

/**
 * Nest's route decorators, with documentation for the API documents. @param path relative to the
 * controller's; `''` for the controller's own
 * @param summary one sentence in plain words
 * @see CONTRIBUTING.md "How to add a route"
 */
type Route = <A extends AnswerBody, E extends z.ZodType = never>(
  path: Path,
  summary: string,
  answer: A,
  notes?: Omit<OperationNotes<E>, 'summary' | 'answer'>,
) => Handler<A | E>;

type Handler<A> = <M extends (...parameters: never[]) => Answered<A> | Promise<Answered<A>>>(
  target: object,
  name: string | symbol,
  method: TypedPropertyDescriptor<M>,
) => void;

export const route =
  (verb: (path: Path) => MethodDecorator): Route =>
  (path, summary, answer, notes) =>
    applyDecorators(verb(path), Operation(summary, answer, notes));

export const Get = route(NestGet);
export const Put = route(NestPut);
export const Patch = route(NestPatch);
export const Delete = route(NestDelete);
export const Options = route(NestOptions);
/** Returns 201. */
export const Post = route(NestPost);
/** A POST that returns 200: clients of both APIs treat 201 as a failure. */
export const ApiPost = route((path) => applyDecorators(NestPost(path), HttpCode(200)));
