import type { Request } from 'express';

/** What a request may do: decided by its guards, and again when its body has arrived or access has changed. */
interface Right {
  /** @throws the refusal of a guard */
  readonly decide: () => Promise<void>;
  /** Why the request may not go on. */
  refusal?: Error;
}

const rights = new WeakMap<Request, Right>();
/** Requests whose body was not there yet when somebody began to read it. */
const late = new WeakSet<Request>();

/**
 * The guards have admitted the request. Decides again at once if one of them has waited for the body.
 *
 * @throws the refusal of a guard
 */
export async function admitted(request: Request, decide: () => Promise<void>): Promise<void> {
  rights.set(request, { decide });
  if (late.has(request)) {
    await decide();
  }
}

/** The request is carried out: what it has begun and left behind belongs to the service. */
export function carriedOut(request: Request): void {
  rights.delete(request);
}

/**
 * The last byte of a body has arrived, perhaps minutes after the guards.
 *
 * @throws the refusal of a guard
 */
export async function decideAgain(request: Request): Promise<void> {
  late.add(request);
  assertRight(request);
  await rights.get(request)?.decide();
}

/** What the request does from now on fails with the refusal; an answer that has begun ends. */
export function endRight(request: Request, refusal: Error): void {
  const right = rights.get(request);
  if (right !== undefined) {
    right.refusal = refusal;
  }
  if (request.res?.headersSent === true) {
    request.res.destroy();
  }
}

/** @throws the refusal, if the right has ended */
export function assertRight(request: Request): void {
  const refusal = rights.get(request)?.refusal;
  if (refusal !== undefined) {
    throw refusal;
  }
}

const ORIGINAL = Symbol('original request');

/** The request as before its guards, for another decision, which leaves the request as it is. */
export function undecided(request: Request): Request {
  const nobody = { writable: true, value: undefined };
  return Object.create(request, {
    [ORIGINAL]: { value: request },
    account: nobody,
    callingApp: nobody,
    session: nobody,
    credential: nobody,
    service: nobody,
  }) as Request;
}

/** The request that was received: its body is read once. */
export function originalOf(request: Request): Request {
  return (request as { readonly [ORIGINAL]?: Request })[ORIGINAL] ?? request;
}
