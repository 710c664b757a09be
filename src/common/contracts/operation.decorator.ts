import { SetMetadata } from '@nestjs/common';
import type { z } from 'zod';
import type { OcsNothing, OcsSuccess } from '../ocs/envelope.js';
import type { ErrorForm } from './api-document.js';

export const OPERATION = 'gatefold:operation';

/** A body that is not JSON. */
export class Media {
  constructor(
    /** `text/plain`, `image/*` */
    readonly type: string,
    readonly description: string,
  ) {}
}

/** The body of an answer: JSON of this schema, another type, or `'nothing'`. */
export type AnswerBody = z.ZodType | Media | 'nothing';

/** What a handler may return for it; nothing if it has written to the response itself. */
export type Answered<A> =
  | void
  | OcsNothing
  | (A extends z.ZodType ? Body<z.output<A>> : A extends Media ? string : OcsSuccess | null);

type Body<T> = Json<T> | OcsSuccess<Json<T>>;

type Json<T> = T extends readonly (infer E)[]
  ? readonly Json<E>[]
  : T extends object
    ? { readonly [K in keyof T as string extends K ? never : K]: Json<T[K]> }
    : T;

/** Documentation of a route beyond its path, guards and `@Input`. */
export interface OperationNotes<E extends z.ZodType = z.ZodType> {
  /** One sentence. */
  readonly summary: string;
  /** Body; below the OCS roots, `data` of the envelope. */
  readonly answer: AnswerBody;
  /** Markdown. */
  readonly description?: string;
  /** Other statuses of success with the same body. */
  readonly also?: readonly number[];
  /** Statuses without a body, such as 304. */
  readonly empty?: readonly number[];
  /** Errors with a body of their own, by status. */
  readonly errors?: Readonly<Record<number, E>>;
  /** Form of errors, if it differs from the document's or OCS. */
  readonly errorForm?: ErrorForm;
  /** Other media types of the answer, by `Accept` or a parameter. */
  readonly otherForms?: readonly Media[];
  /** Parameters that the handler reads without `@Input`, or a simpler schema of those. */
  readonly input?: z.ZodType;
  /** A body that is not JSON. */
  readonly body?: Media;
}

/**
 * Describes a route for the API documents; every route in a document needs it.
 *
 * @param summary one sentence in plain words
 * @see CONTRIBUTING.md "How to add a route"
 */
export function Operation(
  summary: string,
  answer: AnswerBody,
  notes: Omit<OperationNotes, 'summary' | 'answer'> = {},
): MethodDecorator {
  return SetMetadata<string, OperationNotes>(OPERATION, { summary, answer, ...notes });
}
