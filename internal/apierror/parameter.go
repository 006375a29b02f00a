package apierror

import "strconv"

// AboutPlus explains that a plus sign in a query string is decoded as a space.
const AboutPlus = `; in a URL, write the plus sign of an offset as %2B`

// Parameter is the error of a parameter, with that parameter's own code.
func Parameter(name, details string) *Error {
	switch name {
	case "starting_after":
		return InvalidCursor
	case "updated_since":
		return InvalidUpdatedSince(details)
	default:
		return InvalidParameter(details)
	}
}

// Quote quotes the caller's own text, cut short. An invalid byte counts as a character.
func Quote(text string) string {
	const longest = 60
	count := 0
	for at := range text {
		if count++; count > longest {
			text = text[:at] + "…"
			break
		}
	}
	return strconv.Quote(text)
}
