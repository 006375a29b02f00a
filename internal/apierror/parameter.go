package apierror

// AboutPlus explains that a plus sign in a query string is decoded as a space.
const AboutPlus = `; in a URL, write the plus sign of an offset as %2B`
