import { fileURLToPath } from 'node:url'
import tseslint from 'typescript-eslint'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Values that hide an attempt from the ledger or resend a POST (service/README.md#banned). */
const bannedUndici = ['RetryAgent', 'RetryHandler', 'interceptors', 'fetch', 'MockAgent', 'MockPool']

/** Options that resend a POST in flight. */
const bannedSyntax = [
  {
    selector: "Property[key.name='idempotent'][value.value=true]",
    message: 'It resends a POST in flight.',
  },
  {
    selector: "Property[key.name='pipelining'][value.value!=1]",
    message: 'Pipelining resends a POST in flight.',
  },
]

/** A cell such as `constructor` finds in an object what its table does not hold. */
const tableOfObject = {
  selector:
    "VariableDeclarator[init.properties.length>0] > Identifier TSTypeReference[typeName.name='Record'] > TSTypeParameterInstantiation > TSStringKeyword:first-child",
  message: 'A cell can be `constructor`: use a Map.',
}

export default tseslint.config(
  { ignores: ['dist/**', 'coverage/**', 'reports/**', '.stryker-tmp/**', 'node_modules/**'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: root } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: false },
      ],
      '@typescript-eslint/return-await': ['error', 'in-try-catch'],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true, allowNullish: false },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'no-restricted-imports': [
        'error',
        {
          paths: [
            { name: 'undici', importNames: bannedUndici, message: 'It can resend a POST behind the ledger.' },
          ],
        },
      ],
      'no-restricted-globals': [
        'error',
        { name: 'fetch', message: 'It follows redirects and repeats the POST.' },
      ],
      'no-restricted-syntax': ['error', ...bannedSyntax],
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...bannedSyntax, tableOfObject] },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/cli.ts', 'src/machine.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'process', message: 'Only src/cli.ts and src/machine.ts touch the process.' },
        { name: 'console', message: 'Write to the streams that cli.ts hands over.' },
        { name: 'fetch', message: 'It follows redirects and repeats the POST.' },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      'no-restricted-globals': 'off',
      'no-restricted-imports': 'off',
    },
  },
)
