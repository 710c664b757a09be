export type YamlValue =
  | string
  | number
  | boolean
  | readonly YamlValue[]
  | { readonly [key: string]: YamlValue | undefined };

/** Printable in JSON, but not in YAML, or a line break there. */
const UNPRINTABLE = /[\x7f-\x9f\u2028\u2029\ufeff]/g;

/** YAML of a mapping. All texts are quoted, so that none is read as something else. */
export function yamlText(value: { readonly [key: string]: YamlValue | undefined }): string {
  return `${lines(value).join('\n')}\n`;
}

function lines(value: YamlValue): string[] {
  if (Array.isArray(value)) {
    return (value as readonly YamlValue[]).flatMap((entry) => {
      const [first = '', ...rest] = linesOf(entry);
      return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
    });
  }
  if (typeof value === 'object') {
    return Object.entries(value).flatMap(([key, entry]) => {
      if (entry === undefined) {
        return [];
      }
      const name = /^[A-Za-z_][\w.-]*$/.test(key) ? key : quoted(key);
      const inner = linesOf(entry);
      return isNested(entry)
        ? [`${name}:`, ...inner.map((line) => `  ${line}`)]
        : [`${name}: ${inner[0]}`];
    });
  }
  return [typeof value === 'string' ? quoted(value) : String(value)];
}

function linesOf(value: YamlValue): string[] {
  return typeof value === 'object' && !isNested(value)
    ? [Array.isArray(value) ? '[]' : '{}']
    : lines(value);
}

function isNested(value: YamlValue): boolean {
  return typeof value === 'object' && Object.values(value).some((entry) => entry !== undefined);
}

/** Double-quoted texts of YAML have the escapes of JSON. */
function quoted(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll(
    UNPRINTABLE,
    (character) => String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
