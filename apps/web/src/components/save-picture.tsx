/** Buttons that save the drawing of the figure around them as a file. `islands/picture.ts` enables them. */
export const SavePicture = () => (
  <p class="save-picture">
    <span class="quiet">Save as</span>
    <button type="button" value="svg" disabled>
      SVG
    </button>
    <button type="button" value="png" disabled>
      PNG
    </button>
  </p>
)

/** Islands of a page with such a figure. */
export const pictureIslands = ['picture']
