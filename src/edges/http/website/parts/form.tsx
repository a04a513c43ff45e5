import type { ComponentChildren } from 'preact';
import type { z } from 'zod';
import { passwordLength } from '../../../../contract/account.ts';
import { longestEmail } from '../../../../contract/sign-in.ts';
import { Row, usePage } from '../layout.tsx';
import { fill, number } from '../words.ts';
import { limitsOf } from './form-body.ts';
import { onceToken } from './form-key.ts';

type FieldProps = {
  readonly id: string;
  readonly label: ComponentChildren;
  /** What the endpoint takes: a browser keeps its limits for the field of this name. */
  readonly of?: z.ZodObject;
  readonly hint?: string;
  readonly wrong?: string | null;
  /** In place of a text input. */
  readonly children?: ComponentChildren;
  readonly type?: 'text' | 'email' | 'password' | 'url' | 'number' | 'search' | 'date';
  readonly value?: string;
  readonly required?: boolean;
  readonly autocomplete?: string;
  readonly minlength?: number;
  readonly maxlength?: number;
  readonly min?: number;
  readonly max?: number;
  readonly placeholder?: string;
};

/** One field with its label, a hint, and what is wrong with it. */
export const Field = ({ id, label, of, hint, wrong = null, children, ...input }: FieldProps) => {
  const limits = of === undefined ? {} : limitsOf(of, id);
  const attributes: Readonly<Record<string, string | number | boolean>> = { ...limits, ...input };
  const texts = [hint === undefined ? null : `${id}-hint`, wrong === null ? null : `${id}-wrong`].filter(
    (text) => text !== null,
  );
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children ?? (
        <input
          id={id}
          name={id}
          {...attributes}
          aria-describedby={texts.length === 0 ? undefined : texts.join(' ')}
          aria-invalid={wrong === null ? undefined : true}
        />
      )}
      {hint === undefined ? null : (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {wrong === null ? null : (
        <p class="wrong" id={`${id}-wrong`}>
          {wrong}
        </p>
      )}
    </div>
  );
};

type ChoiceProps<Value extends string | number> = {
  readonly id: string;
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [value: Value, text: string])[];
};

/** A field with a choice among values, each with its text. */
export const Choice = <Value extends string | number>({ id, label, value, options }: ChoiceProps<Value>) => (
  <Field id={id} label={label}>
    <select id={id} name={id}>
      {options.map(([one, text]) => (
        <option value={one} selected={one === value}>
          {text}
        </option>
      ))}
    </select>
  </Field>
);

type CheckProps = {
  readonly name: string;
  readonly value: string;
  readonly isChecked: boolean;
  readonly children: ComponentChildren;
};

/** A box to tick; `children`: what it means. */
export const Check = ({ name, value, isChecked, children }: CheckProps) => (
  <label class="check">
    <input type="checkbox" name={name} value={value} checked={isChecked} />
    {children}
  </label>
);

/** The mail address of an account, which password managers know as its user name. */
export const EmailField = (field: { readonly value: string; readonly wrong?: string | null }) => (
  <Field
    id="email"
    label={usePage().words.auth.email}
    type="email"
    autocomplete="username"
    required
    maxlength={longestEmail}
    {...field}
  />
);

/** A password that is being chosen. `more` is added to the hint. */
export const NewPasswordField = ({
  more = '',
  ...field
}: {
  readonly id?: string;
  readonly label?: string;
  readonly more?: string;
  readonly wrong?: string | null;
}) => {
  const { auth, language } = usePage().words;
  const { least, most } = passwordLength;
  return (
    <Field
      id="password"
      label={auth.password}
      type="password"
      autocomplete="new-password"
      required
      minlength={least}
      maxlength={most}
      hint={`${fill(auth.passwordHint, { least: number(language, least) })} ${more}`.trim()}
      {...field}
    />
  );
};

/** The present password, which proves who is asking. */
export const PasswordField = () => (
  <Field id="password" label={usePage().words.auth.password} type="password" autocomplete="current-password" required />
);

/** The hidden field by which a form that is sent twice is done once. */
export const Once = () => <input type="hidden" name="once" value={onceToken()} />;

/** The button that sends the form that it stands in. */
export const Submit = ({ children }: { readonly children: ComponentChildren }) => (
  <div class="actions">
    <button type="submit">{children}</button>
  </div>
);

type PostFormProps = { readonly action: string; readonly submit: string; readonly children: ComponentChildren };

/** A form that is done once, with its button last. */
export const PostForm = ({ action, submit, children }: PostFormProps) => (
  <form method="post" action={action}>
    <Once />
    {children}
    <Submit>{submit}</Submit>
  </form>
);

/** Fields that are sent with a form without being seen. */
export const Hidden = ({ fields }: { readonly fields: readonly (readonly [name: string, value: string])[] }) => (
  <>
    {fields.map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
  </>
);

type PostButtonProps = {
  readonly action: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly kind?: 'quiet' | 'main' | 'plain';
  readonly children: ComponentChildren;
};

/** A button that posts to an address, with hidden fields. */
export const PostButton = ({ action, fields = {}, kind = 'quiet', children }: PostButtonProps) => (
  <form method="post" action={action}>
    <Hidden fields={Object.entries(fields)} />
    <Once />
    <button type="submit" class={kind === 'main' ? undefined : kind}>
      {children}
    </button>
  </form>
);

type NoteProps = {
  readonly kind: 'ok' | 'warn' | 'bad';
  /** Readers begin here, with or without scripts: it says why the form that they sent was refused. */
  readonly hasFocus?: boolean;
  readonly children: ComponentChildren;
};

/** A note about what just happened, or what went wrong: announced, with a word and not by colour alone. */
export const Note = ({ kind, hasFocus = kind === 'bad', children }: NoteProps) => (
  <div class={`note ${kind}`} {...(hasFocus ? focused : {})} role={kind === 'bad' ? 'alert' : 'status'}>
    {children}
  </div>
);

const focused = { tabindex: -1, autofocus: true } as const;

/** Says that a form with a secret was sent before. */
export const MadeBefore = () => (
  <Row>
    <Note kind="warn">{usePage().words.keys.madeBefore}</Note>
  </Row>
);
