import { Injectable } from '@nestjs/common';

export interface Label {
  readonly id: number;
  readonly name: string;
  readonly itemCount: number;
  readonly unreadCount: number;
  readonly newestArrivedMicros: number | null;
}
export interface LabelChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}
@Injectable()
export class LabelsService {
  async list(_userId: string): Promise<Label[]> {
    return [];
  }
  async change(_u: string, _i: readonly number[], _c: LabelChange): Promise<readonly number[]> {
    return [];
  }
  async rename(_u: string, _labelId: number, _name: string): Promise<void> {}
  async remove(_u: string, _labelId: number): Promise<unknown> {
    return undefined;
  }
}
