import { readUnit, TokenReader, type Unit } from './token-reader.ts';

/** Blocks of a maker's library by their upper-case names, with the names that may follow the dot. */
export type Library = Readonly<Record<string, readonly string[]>>;

/** Operators from weak to strong, each with its JavaScript. */
const LEVELS: readonly Readonly<Record<string, string>>[] = [
  { OR: '||' },
  { AND: '&&' },
  { '=': '===', '<>': '!==' },
  { '<': '<', '>': '>', '<=': '<=', '>=': '>=' },
  { '+': '+', '-': '-' },
  { '*': '*', '/': '/', MOD: '%' },
];

/** Cuts a number or text to the size of its variable. */
const STORED: Readonly<Record<string, (value: string) => string>> = {
  UDINT: (value) => `(${value}) >>> 0`,
  UINT: (value) => `(${value}) & 0xffff`,
  DINT: (value) => `(${value}) | 0`,
  INT: (value) => `Math.trunc(${value})`,
  ULINT: (value) => `Math.trunc(${value})`,
};

/** Reads the body of a unit: every name must be declared, every statement must end. It becomes JavaScript on `v`. */
export class Body {
  readonly #reader: TokenReader;
  readonly #unit: Unit;
  readonly #library: Library;
  /** SCL ends every END_IF with a semicolon; IEC 61131-3 leaves it free. */
  readonly #endsNeedSemicolon: boolean;

  constructor(reader: TokenReader, unit: Unit, library: Library, endsNeedSemicolon: boolean) {
    this.#reader = reader;
    this.#unit = unit;
    this.#library = library;
    this.#endsNeedSemicolon = endsNeedSemicolon;
  }

  statements(...ends: readonly string[]): string {
    let code = '';
    while (!this.#reader.isOneOf(ends)) {
      if (this.#reader.next.kind === 'end') throw this.#reader.fault(`expected ${ends.join(' or ')}`);
      code += `${this.#statement()}\n`;
    }
    return code;
  }

  #statement(): string {
    const reader = this.#reader;
    if (reader.skip(';')) return '';
    if (reader.skip('REGION')) return this.#region();
    if (reader.skip('IF')) return this.#if();
    if (reader.skip('CASE')) return this.#case();
    if (reader.skip('FOR')) return this.#for();
    if (reader.skip('WHILE')) return this.#while();
    if (reader.skip('REPEAT')) return this.#repeat();
    if (reader.skip('RETURN')) return this.#ended('return;');
    return this.#assignmentOrCall();
  }

  #ended(code: string): string {
    this.#reader.take(';');
    return code;
  }

  #end(word: string): void {
    this.#reader.take(word);
    if (this.#endsNeedSemicolon) this.#reader.take(';');
    else this.#reader.skip(';');
  }

  #region(): string {
    const code = this.statements('END_REGION');
    this.#reader.take('END_REGION');
    this.#reader.skip(';');
    return code;
  }

  #if(): string {
    const reader = this.#reader;
    let code = `if (${this.#condition('THEN')}) {\n${this.statements('ELSIF', 'ELSE', 'END_IF')}}`;
    while (reader.skip('ELSIF'))
      code += ` else if (${this.#condition('THEN')}) {\n${this.statements('ELSIF', 'ELSE', 'END_IF')}}`;
    if (reader.skip('ELSE')) code += ` else {\n${this.statements('END_IF')}}`;
    this.#end('END_IF');
    return code;
  }

  #condition(end: string): string {
    const code = this.#expression();
    this.#reader.take(end);
    return code;
  }

  #case(): string {
    const reader = this.#reader;
    let code = `switch (${this.#condition('OF')}) {\n`;
    while (!reader.is('END_CASE')) {
      code += `case ${reader.takeKind('number')}: `;
      reader.take(':');
      while (reader.next.kind !== 'number' && !reader.is('END_CASE')) code += `${this.#statement()}\n`;
      code += 'break;\n';
    }
    this.#end('END_CASE');
    return `${code}}`;
  }

  #for(): string {
    const name = this.#variable();
    this.#reader.take(':=');
    const from = this.#condition('TO');
    const to = this.#condition('DO');
    const code = `for (${name} = ${from}; ${name} <= ${to}; ${name}++) {\n${this.statements('END_FOR')}}`;
    this.#end('END_FOR');
    return code;
  }

  #while(): string {
    const code = `while (${this.#condition('DO')}) {\n${this.statements('END_WHILE')}}`;
    this.#end('END_WHILE');
    return code;
  }

  #repeat(): string {
    const code = this.statements('UNTIL');
    this.#reader.take('UNTIL');
    const until = this.#expression();
    if (this.#endsNeedSemicolon) this.#reader.skip(';');
    this.#end('END_REPEAT');
    return `do {\n${code}} while (!(${until}));`;
  }

  #assignmentOrCall(): string {
    const reader = this.#reader;
    const { text } = reader.next;
    if (reader.ahead(1).text === '(' && this.#library[text.toUpperCase()] !== undefined) {
      const name = reader.takeKind('name').toUpperCase();
      return this.#ended(`${name}${this.#arguments(name)};`);
    }
    const target = this.#variable();
    if (reader.is('(')) return this.#ended(`${target}${this.#arguments(this.#blockType(text, target))};`);
    reader.take(':=');
    const value = this.#expression();
    const stored = STORED[this.#typeOf(text)];
    return this.#ended(`${target} = ${stored === undefined || target.includes('.', 2) ? value : stored(value)};`);
  }

  /** The type of a block that is called itself, as against one of its methods. */
  #blockType(name: string, target: string): string {
    return target.includes('.', 2) ? '' : this.#typeOf(name);
  }

  #typeOf(name: string): string {
    return this.#declared(name)?.type ?? '';
  }

  #declared(name: string) {
    return this.#unit.variables.find((variable) => variable.name.toLowerCase() === name.toLowerCase());
  }

  /** A variable of this unit, with the names behind its dots. */
  #variable(): string {
    const name = this.#reader.takeKind('name');
    const variable = this.#declared(name);
    if (variable === undefined) throw this.#reader.fault(`${name} is not declared`);
    let code = `v.${name.toLowerCase()}`;
    let { type } = variable;
    while (this.#reader.skip('.')) {
      const member = this.#reader.takeKind('name');
      this.#checkMember(type, member);
      code += `.${member.toLowerCase()}`;
      type = this.#typeOfMember(type, member);
    }
    return code;
  }

  /** A block inside a block, where the library has its members; else anything may follow. */
  #typeOfMember(type: string, member: string): string {
    const inner = `${type}.${member.toUpperCase()}`;
    return this.#library[inner] === undefined ? '' : inner;
  }

  #checkMember(type: string, member: string): void {
    if (type === '') return;
    const members = this.#library[type];
    if (members === undefined) throw this.#reader.fault(`the type ${type} is not known`);
    if (!members.some((name) => name.toLowerCase() === member.toLowerCase()))
      throw this.#reader.fault(`${type} has no ${member}`);
  }

  #expression(level = 0): string {
    const operators = LEVELS[level];
    if (operators === undefined) return this.#operand();
    let code = this.#expression(level + 1);
    for (;;) {
      const found = Object.keys(operators).find((operator) => this.#reader.is(operator));
      if (found === undefined) return code;
      this.#reader.take(found);
      code = `(${code} ${operators[found]} ${this.#expression(level + 1)})`;
    }
  }

  #operand(): string {
    const reader = this.#reader;
    const { kind, text } = reader.next;
    if (reader.skip('NOT')) return `!${this.#operand()}`;
    if (reader.skip('-')) return `-${this.#operand()}`;
    if (reader.skip('(')) return `(${this.#condition(')')})`;
    if (kind === 'number') return reader.takeKind('number');
    if (kind === 'text') return JSON.stringify(reader.takeKind('text'));
    if (reader.skip('TRUE')) return 'true';
    if (reader.skip('FALSE')) return 'false';
    if (this.#declared(text) !== undefined) return this.#variableOrCall();
    if (this.#library[text.toUpperCase()] !== undefined) return this.#constantOfLibrary();
    return this.#standardFunction();
  }

  #variableOrCall(): string {
    const code = this.#variable();
    return this.#reader.is('(') ? `${code}${this.#arguments('')}` : code;
  }

  /** A constant such as `TcIotMqttQos.AtLeastOnceDelivery` or `MQTT.MQTT_QOS.QoS1`. */
  #constantOfLibrary(): string {
    let type = this.#reader.takeKind('name').toUpperCase();
    this.#reader.take('.');
    let member = this.#reader.takeKind('name');
    while (this.#reader.skip('.')) {
      type += `.${member.toUpperCase()}`;
      member = this.#reader.takeKind('name');
    }
    this.#checkMember(type, member);
    return JSON.stringify(member);
  }

  #standardFunction(): string {
    const name = this.#reader.takeKind('name').toUpperCase();
    const known = STANDARD_FUNCTIONS[name];
    if (known === undefined) throw this.#reader.fault(`${name} is neither declared nor a function`);
    const given: string[] = [];
    this.#reader.take('(');
    while (!this.#reader.skip(')')) {
      const { text } = this.#reader.next;
      if (this.#reader.ahead(1).text === ':=') {
        if (text.toUpperCase() !== known.parameters[given.length])
          throw this.#reader.fault(`${name} has no parameter ${text} there`);
        this.#reader.takeKind('name');
        this.#reader.take(':=');
      }
      given.push(this.#expression());
      if (!this.#reader.is(')')) this.#reader.take(',');
    }
    if (given.length !== known.parameters.length)
      throw this.#reader.fault(`${name} takes ${known.parameters.length} parameters`);
    return `f.${name}(${given.join(', ')})`;
  }

  /** `(in := value, out => variable)` of a block or a method. */
  #arguments(type: string): string {
    const given: string[] = [];
    this.#reader.take('(');
    while (!this.#reader.skip(')')) {
      given.push(this.#argument(type, given.length + 1));
      if (!this.#reader.is(')')) this.#reader.take(',');
    }
    return `({ ${given.join(', ')} })`;
  }

  #argument(type: string, position: number): string {
    const reader = this.#reader;
    const isNamed = [':=', '=>'].includes(reader.ahead(1).text);
    // A method takes its inputs without their names, too.
    if (type === '' && !isNamed) return `in${position}: ${this.#expression()}`;
    const name = reader.takeKind('name').toLowerCase();
    this.#checkMember(type, name);
    if (reader.skip('=>')) return `${name}: (value) => { ${this.#variable()} = value; }`;
    reader.take(':=');
    return `${name}: ${this.#expression()}`;
  }
}

/** Functions of IEC 61131-3 that the samples use: the names of their parameters in SCL, and their effect. */
interface StandardFunction {
  readonly parameters: readonly string[];
  readonly run: (...words: never[]) => unknown;
}

const truncated = { parameters: ['IN'], run: (number: number) => Math.trunc(number) };
const twoTexts = ['IN1', 'IN2'];

/** The value of TIME(): set by the code that runs the program. */
export const clock = { nowMs: 0 };

export const STANDARD_FUNCTIONS: Readonly<Record<string, StandardFunction>> = {
  TIME: { parameters: [], run: () => clock.nowMs % 2 ** 32 },
  TIME_TCK: { parameters: [], run: () => clock.nowMs % 2 ** 31 },
  TIME_TO_UDINT: truncated,
  TIME_TO_DINT: truncated,
  ULINT_TO_INT: truncated,
  INT_TO_UDINT: truncated,
  UDINT_TO_INT: truncated,
  UDINT_TO_UINT: truncated,
  DINT_TO_ULINT: truncated,
  LEN: { parameters: ['IN'], run: (text: string) => text.length },
  LEFT: { parameters: ['IN', 'L'], run: (text: string, count: number) => text.slice(0, count) },
  RIGHT: { parameters: ['IN', 'L'], run: (text: string, count: number) => (count > 0 ? text.slice(-count) : '') },
  MID: {
    parameters: ['IN', 'L', 'P'],
    run: (text: string, count: number, from: number) => text.slice(from - 1, from - 1 + count),
  },
  FIND: { parameters: twoTexts, run: (text: string, wanted: string) => text.indexOf(wanted) + 1 },
  // The functions of most controllers give at most 255 characters.
  CONCAT: { parameters: twoTexts, run: (one: string, other: string) => (one + other).slice(0, 255) },
  ADR: { parameters: ['IN'], run: () => null },
  SIZEOF: { parameters: ['IN'], run: () => 256 },
};

/** The variables of a block while it runs, by their names in small letters. */
export type Memory = Record<string, boolean | number | string>;

interface Block {
  readonly unit: Unit;
  readonly memory: Memory;
  /** One cycle of the controller. */
  readonly cycle: () => void;
}

/** Checks a file of structured text or SCL with one unit, and gives it ready to run. */
export function compile(source: string, isScl: boolean, library: Library = {}): Block {
  const reader = new TokenReader(source);
  const unit = readUnit(reader);
  const end = `END_${unit.kind}`;
  const code = new Body(reader, unit, library, isScl).statements(end);
  reader.take(end);
  reader.skip(';');
  if (reader.next.kind !== 'end') throw reader.fault(`${reader.next.text} stands behind ${end}`);
  const memory = initial(unit);
  const functions = Object.fromEntries(Object.entries(STANDARD_FUNCTIONS).map(([name, { run }]) => [name, run]));
  const run = new Function('v', 'f', code);
  return { unit, memory, cycle: () => cut(unit, memory, () => run(memory, functions)) };
}

/** A text that is too long is cut off, as on a controller. */
function cut(unit: Unit, memory: Memory, run: () => void): void {
  run();
  for (const { name, length } of unit.variables) {
    const value = memory[name.toLowerCase()];
    if (length !== null && typeof value === 'string') memory[name.toLowerCase()] = value.slice(0, length);
  }
}

function initial({ variables }: Unit): Memory {
  return Object.fromEntries(
    variables.map(({ name, type, initial }) => {
      const otherwise = type === 'BOOL' ? false : type === 'STRING' ? '' : 0;
      return [name.toLowerCase(), initial === null ? otherwise : JSON.parse(initial)];
    }),
  );
}
