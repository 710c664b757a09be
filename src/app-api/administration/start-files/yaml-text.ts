import { stringify } from 'yaml';

/**
 * A mapping as YAML. All texts are quoted, and long ones stay on one line, so that readers of YAML 1.1
 * and 1.2 read the same.
 */
export function yamlText(mapping: object): string {
  return stringify(mapping, {
    version: '1.1',
    defaultStringType: 'QUOTE_DOUBLE',
    defaultKeyType: 'PLAIN',
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
}
