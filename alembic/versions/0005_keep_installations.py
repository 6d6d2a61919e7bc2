"""What does the fifth version keep? Who installed the app, with sealed tokens."""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def text(name: str, *, nullable: bool = True) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def moment(name: str, *, nullable: bool = True) -> sa.Column[object]:
    """Naive and UTC, as the SDK writes it."""
    return sa.Column(name, sa.DateTime(), nullable=nullable)


def number(table: str) -> tuple[sa.Column[int], sa.PrimaryKeyConstraint]:
    return (
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.PrimaryKeyConstraint("id", name=f"pk_{table}"),
    )


def bot() -> tuple[sa.Column[str] | sa.Column[object], ...]:
    return (
        *(text(name) for name in ("bot_token", "bot_id", "bot_user_id", "bot_scopes")),
        text("bot_refresh_token"),
        moment("bot_token_expires_at"),
    )


def app() -> tuple[sa.Column[str], sa.Column[str]]:
    return text("client_id", nullable=False), text("app_id", nullable=False)


def upgrade() -> None:
    enterprise = sa.Column("enterprise_id", sa.Text(), server_default="", nullable=False)
    op.add_column("workspace", enterprise)
    now = sa.func.now()
    since = sa.Column("since", sa.DateTime(timezone=True), server_default=now, nullable=False)
    op.add_column("workspace", since)
    op.create_table(
        "slack_bots",
        *number("slack_bots"),
        *app(),
        *(text(name) for name in ("enterprise_id", "enterprise_name", "team_id", "team_name")),
        *bot(),
        sa.Column("is_enterprise_install", sa.Boolean(), nullable=False),
        moment("installed_at", nullable=False),
    )
    op.create_index(
        "slack_bots_idx", "slack_bots", ["client_id", "enterprise_id", "team_id", "installed_at"]
    )
    op.create_table(
        "slack_installations",
        *number("slack_installations"),
        *app(),
        *(text(name) for name in ("enterprise_id", "enterprise_name", "enterprise_url")),
        *(text(name) for name in ("team_id", "team_name")),
        *bot(),
        text("user_id", nullable=False),
        *(text(name) for name in ("user_token", "user_scopes", "user_refresh_token")),
        moment("user_token_expires_at"),
        *(text(f"incoming_webhook_{name}") for name in ("url", "channel", "channel_id")),
        text("incoming_webhook_configuration_url"),
        sa.Column("is_enterprise_install", sa.Boolean(), nullable=False),
        text("token_type"),
        moment("installed_at", nullable=False),
    )
    op.create_index(
        "slack_installations_idx",
        "slack_installations",
        ["client_id", "enterprise_id", "team_id", "user_id", "installed_at"],
    )
    op.create_table(
        "slack_oauth_states",
        *number("slack_oauth_states"),
        text("state", nullable=False),
        moment("expire_at", nullable=False),
    )


def downgrade() -> None:
    for table in ("slack_oauth_states", "slack_installations", "slack_bots"):
        op.drop_table(table)
    op.drop_column("workspace", "since")
    op.drop_column("workspace", "enterprise_id")
