import { conflict, invalid, notFound } from '../../../common/errors/domain-error.js';

export class SearchNotFound extends notFound((id: number) => `There is no saved search ${id}.`) {}

export class SearchAlreadyExists extends conflict(
  (name: string) => `A search named "${name}" already exists.`,
) {}

export class InvalidSearchName extends invalid((rule: string) => `The name of a search ${rule}.`) {}

export class SearchIsUsed extends conflict(
  (name: string, users: string) => `The search "${name}" is used by ${users}. Change these first.`,
) {}
