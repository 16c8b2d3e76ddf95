/** The content of a profile as a person enters it. */
export const PROFILE_CONTENT = {
  profileName: 'Z 200',
  description: null,
  owningCatalogId: 1,
  category: null,
  subCategory: null,
  paintedSide: null,
  features: [{ type: 'Straight', length: 12.5, hemHeight: 0 }],
} as const;
