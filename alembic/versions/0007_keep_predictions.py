"""What does the seventh version keep? What a proxy predicted at a gate."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("gate", sa.Column("prediction", postgresql.JSONB(), nullable=True))


def downgrade() -> None:
    op.drop_column("gate", "prediction")
