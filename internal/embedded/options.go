package embedded

import "log/slog"

// Names that Open makes sure of in every cluster.
const (
	// Database is the product's database, owned by Owner.
	Database = "clientintel"
	// Owner migrates and imports. It owns Database and may create roles; it
	// is no superuser, so what works here works on a hosted PostgreSQL.
	Owner = "clientintel_owner"
	// ServerRole is the role a serving pool takes; it cannot log in.
	// Migrations find it in place and give it its rights.
	ServerRole = "clientintel_server"
	// Login is the login of a serving pool: a member of ServerRole and of
	// nothing else, so that no session of the pool can become the owner.
	Login = "clientintel_login"
	// Superuser is for tests that create databases.
	Superuser = "postgres"
)

// NoDownload as Options.DownloadFrom keeps Open off the network.
const NoDownload = "off"

const oldestMajor = 15

// origin says where programs are fetched from, for messages.
func (o Options) origin() string {
	if o.DownloadFrom == "" {
		return "Maven Central"
	}
	return o.DownloadFrom
}

// Options say where the cluster is and how it is run.
type Options struct {
	// Dir is the product's data directory, required. Created when missing;
	// one that root made must let the account postgres (or nobody) pass.
	Dir string
	// BinDir holds initdb and postgres. Empty: PATH, pg_config and the usual
	// places are searched.
	BinDir string
	// DownloadFrom is the Maven repository that PostgreSQL is fetched from
	// where none is installed. Empty: Maven Central. NoDownload: none.
	DownloadFrom string
	// Settings are PostgreSQL settings beside and over our own. They have no
	// effect on a server that another process already runs.
	Settings map[string]string
	// Log tells people what takes long. Nil: silence.
	Log *slog.Logger
}
