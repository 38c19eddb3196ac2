/**
 * A command-line session, from a table of cities to a resolved conflict. Tests run it with and without a real terminal. `{ID}` in a step
 * stands for the slug of the collection.
 */
export interface Step {
  /** User of the shell. */
  readonly as: 'ada' | 'bob' | 'stranger'
  /** A shell command, in the user's folder. */
  readonly run: string
  /** Keys for the command's prompts on a terminal, by their tmux names. */
  readonly keys?: readonly string[]
  /** Expected output, on either stream. */
  readonly shows: RegExp
  readonly code?: number
}

export const cities = `code,name,country,population
OSL,Oslo,NO,709037
BGO,Bergen,NO,291189
"STO",Stockholm,SE,984748
MMX,Malmö,SE,
`

export const transcript: readonly Step[] = [
  { as: 'ada', run: 'mkdir cities && cd cities', shows: /^/ },
  { as: 'ada', run: 'ulmus init ada/{ID}', shows: /This is now a working folder of ada\/\S+/ },
  {
    as: 'ada',
    run: 'ulmus import ../cities.csv --type City --id code --private population',
    keys: ['Enter'],
    shows: /4 records of City from cities\.csv/,
  },
  { as: 'ada', run: 'ulmus status', shows: /City +\+4 added/ },
  { as: 'ada', run: 'ulmus push -m "Four cities" --public', shows: /v1\.0\.0/ },
  { as: 'ada', run: 'ulmus verify', shows: /is what its digest says: private:/ },
  { as: 'ada', run: 'ulmus verify ada/{ID}', shows: /is what its digest says: private:/ },
  { as: 'ada', run: "sed -i 's/709037/717710/' records/City.ndjson", shows: /^/ },
  { as: 'ada', run: 'ulmus diff', shows: /~ OSL[\s\S]*population: 709037 → 717710/ },

  { as: 'bob', run: 'ulmus clone ada/{ID} && cd {ID}', shows: /@v1\.0\.0 is in/ },
  { as: 'bob', run: "sed -i 's/291189/292000/; s/709037/709038/' records/City.ndjson", shows: /^/ },

  { as: 'ada', run: 'ulmus push -m "Oslo grew"', shows: /v1\.1\.0/ },
  { as: 'ada', run: 'ulmus push', shows: /Nothing changed since v1\.1\.0/ },

  {
    as: 'bob',
    run: 'ulmus push',
    shows: /is at v1\.1\.0, this folder at v1\.0\.0[\s\S]*ulmus pull/,
    code: 5,
  },
  {
    as: 'bob',
    run: 'ulmus pull',
    shows: /City "OSL": changed here, changed in the registry[\s\S]*--theirs/,
    code: 5,
  },
  { as: 'bob', run: 'ulmus pull --theirs', shows: /The replaced records are in \.ulmus\/set-aside/ },
  { as: 'bob', run: 'ulmus diff --stat', shows: /City +~1 updated/ },
  { as: 'bob', run: 'ulmus push -m "Bergen grew"', shows: /v1\.2\.0/ },
  { as: 'bob', run: 'ulmus log', shows: /v1\.2\.0[\s\S]*v1\.1\.0[\s\S]*v1\.0\.0/ },

  { as: 'stranger', run: 'ulmus clone ada/{ID} && cd {ID}', shows: /This is the public view/ },
  {
    as: 'stranger',
    run: 'cat records/City.ndjson',
    shows: /\{"id":"BGO","data":\{"code":"BGO","country":"NO","name":"Bergen"\}\}/,
  },
  { as: 'stranger', run: 'ulmus verify', shows: /is what its digest says: public:/ },
  { as: 'stranger', run: "sed -i 's/Oslo/Olso/' records/City.ndjson", shows: /^/ },
  { as: 'stranger', run: 'ulmus verify', shows: /is not ada\/\S+@v1\.2\.0: its digest is public:/, code: 1 },
  { as: 'stranger', run: 'ulmus checkout v1.2.0 --force && ulmus verify', shows: /is what its digest says/ },

  { as: 'ada', run: 'ulmus pull', shows: /v1\.1\.0 → v1\.2\.0: 1 changed record/ },
  {
    as: 'ada',
    run: 'ulmus get --csv ada/{ID} | head -2',
    shows: /^_id,code,name,country,population\r?\n?BGO,BGO,Bergen,NO,292000/m,
  },
  { as: 'ada', run: 'ulmus status', shows: /Nothing changed\./ },
]
