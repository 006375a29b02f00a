package embedded

import "log/slog"

// Names that Open creates in every cluster.
const (
	// Database is the product's database, owned by Owner.
	Database = "clientintel"
	// Owner migrates, and takes the roles of commands. It owns Database and passes
	// row-level security by; it is no superuser, as on a hosted PostgreSQL.
	Owner = "clientintel_owner"
	// ServerRole is the role a serving pool takes; it cannot log in.
	// The migrations grant its rights.
	ServerRole = "clientintel_server"
	// Login is the login of a serving pool: a member of ServerRole only, so
	// that no session of the pool can become the owner.
	Login = "clientintel_login"
	// Superuser is for tests that create databases.
	Superuser = "postgres"
)

// Download as Options.BinDir fetches the programs, whatever is installed.
const Download = "download"

const oldestMajor = 15

// Options say where the cluster is and how it is run.
type Options struct {
	// Dir is the product's data directory, required. It is created when missing. Where
	// root created it, the account postgres (or nobody) must be able to enter it.
	Dir string
	// BinDir holds initdb and postgres. Empty: PATH and the usual places are searched, and
	// the programs are fetched where none are installed.
	BinDir string
	// Settings are PostgreSQL settings beside and over our own. They have no
	// effect on a server that another process already runs.
	Settings map[string]string
	// Log reports what takes long. Nil: nothing is logged.
	Log *slog.Logger
}
