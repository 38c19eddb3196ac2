/** Offer to load a sample collection: one button, without JavaScript. */
export const SampleForm = ({ owner }: { owner: string }) => (
  <form method="post" action="/new/sample">
    <input type="hidden" name="owner" value={owner} />
    <p>
      <button type="submit">Load a sample</button>{' '}
      <span class="quiet">
        makes the public collection {owner}/countries: 50 countries, for you to look around and to delete.
      </span>
    </p>
  </form>
)
