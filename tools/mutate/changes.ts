import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** One change of one place. */
export interface Change {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** Line of code, without its number, which other changes move. */
  readonly name: string;
  readonly start: number;
  readonly before: string;
  readonly after: string;
  /** From 1 to 3: statements of SQL and guards are chosen more often. */
  readonly weight: number;
}

const OPERATORS = new Map<ts.SyntaxKind, string>([
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.PlusToken, '-'],
  [ts.SyntaxKind.MinusToken, '+'],
]);

/** In SQL; each match is one change. */
const IN_SQL: readonly (readonly [RegExp, string])[] = [
  [/\band [^\n()$`]*\$\d+(?:::\w+(?:\[\])?)?\)?(?=\n|`|\s*$)/gm, ''],
  [/\band (?:not [a-z_.]+|[a-z_.]+ is (?:not )?null)/g, ''],
  [/\bfor update(?: of \w+)?(?: skip locked)?/g, ''],
  [/ skip locked\b/g, ''],
  [/\bis not null\b/g, 'is null'],
  [/\bgreatest\(/g, 'least('],
  [/\bdesc\b/g, ''],
  [/ <= /g, ' < '],
  [/ >= /g, ' > '],
  [/ < /g, ' <= '],
  [/ > /g, ' >= '],
  // In functions and triggers.
  [/\bperform [^;]+;/g, ''],
  [/\bif not exists \(/g, 'if exists ('],
  [/ or (?:update|delete)(?: of [\w,\s]+?)?(?=\s+on )/g, ''],
  [/\bfor each row when [^`]+/g, 'for each row'],
];

export function changesOf(file: string): Change[] {
  const text = readFileSync(file, 'utf8');
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const changes: Change[] = [];
  const add = (start: number, before: string, after: string, weight = 1) => {
    const line = tree.getLineAndCharacterOfPosition(start).line + 1;
    const lineStart = text.lastIndexOf('\n', start) + 1;
    const end = start + before.length;
    const around = [text.slice(lineStart, start), before, text.slice(end).split('\n')[0] ?? ''];
    const [left = '', middle, right] = around.map((part) => part.replaceAll(/\s+/g, ' '));
    const name = `${file}: ${left.trimStart()}«${middle}»${right} → ${after.slice(0, 60)}`.trim();
    changes.push({ file, line, name, start, before, after, weight });
  };
  const replace = (node: ts.Node, after: string, weight = 1) =>
    add(node.getStart(), node.getText(), after, weight);
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node) || ts.isInterfaceDeclaration(node)) {
      return;
    }
    if (ts.isBinaryExpression(node)) {
      const operator = OPERATORS.get(node.operatorToken.kind);
      if (operator !== undefined && ![node.left, node.right].some(isText)) {
        replace(node.operatorToken, operator);
      }
    } else if (ts.isIfStatement(node)) {
      const { expression, thenStatement } = node;
      replace(expression, `!(${expression.getText()})`);
      if (/^\{?\s*(throw|return)\b/.test(thenStatement.getText())) {
        replace(expression, 'false', 2);
      }
    } else if (ts.isExpressionStatement(node) && isCall(node.expression)) {
      replace(node, '', 2);
    } else if (ts.isConditionalExpression(node)) {
      replace(node.condition, `!(${node.condition.getText()})`);
    } else if (node.kind === ts.SyntaxKind.TrueKeyword) {
      replace(node, 'false');
    } else if (node.kind === ts.SyntaxKind.FalseKeyword) {
      replace(node, 'true');
    } else if (ts.isDecorator(node) && /^@(Takes|Changing|UseGuards|Limit)/.test(node.getText())) {
      replace(node, '', 2);
    } else if (isSql(node)) {
      for (const [pattern, after] of IN_SQL) {
        for (const { index, 0: before } of node.getText().matchAll(pattern)) {
          add(node.getStart() + index, before, after, 3);
        }
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return changes;
}

function isText(node: ts.Expression): boolean {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

function isCall(node: ts.Expression): boolean {
  const called = ts.isAwaitExpression(node) ? node.expression : node;
  return ts.isCallExpression(called) && called.expression.kind !== ts.SyntaxKind.SuperKeyword;
}

function isSql(node: ts.Node): boolean {
  const isTemplate = ts.isTemplateLiteralToken(node);
  return (
    isTemplate &&
    /\b(select|update|delete|insert|perform|where|and|order by)\b/.test(node.getText())
  );
}
